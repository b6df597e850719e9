// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"
#include "dcqcn/fields.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// Section `dcqcn`: reads it, formats its parameters (dcqcn/fields.hpp), and changes them while QPs send.
namespace softfeb::config {

/// Section `dcqcn` of a board or a QP: congestion control.
struct DcqcnConfig {
  enum class Algorithm : std::uint8_t {
    kOff,
    kFirmware,  ///< the board's algorithm, clock-exact
    kPaper,     ///< algorithm of the DCQCN paper (SIGCOMM 2015); also models commercial NICs
  };
  /// The QPs of a board that share one rate.
  enum class Scope : std::uint8_t {
    kQp,  ///< every QP has its own rate
    /// All QPs that use this section, as in the firmware, which has one reaction point and one bucket.
    kBoard,
    kIpPair,  ///< QPs with the same peer IP address
  };
  Algorithm algorithm = Algorithm::kOff;
  Scope scope = Scope::kQp;
  dcqcn::FirmwareSettings firmware;
  dcqcn::PaperSettings paper;
  Where where;
};

/// Returns off, firmware or paper.
const char* to_string(DcqcnConfig::Algorithm algorithm);

/// Parses a value of `field`, in its unit.
Parsed<std::uint64_t> parse_value(const dcqcn::FieldInfo& field, const std::string& text);
/// Formats a value as in a configuration file: a number, a boolean, or text with a unit.
nlohmann::ordered_json emit_value(const dcqcn::FieldInfo& field, std::uint64_t value);

/// Returns a copy of `now` in which the parameters in `given` are replaced. `given` contains keys and
/// values as under `dcqcn` in an element of `changes`, except `algorithm`, which cannot change. Throws
/// ConfigError; Where::key of each problem is a key of `given`.
DcqcnConfig change_dcqcn(const DcqcnConfig& now,
                         const std::vector<std::pair<std::string, std::string>>& given);

/// Returns the parameters of `dcqcn` that change_dcqcn() accepts, with their values. The result is empty
/// without congestion control.
nlohmann::ordered_json changeable(const DcqcnConfig& dcqcn);

/// Describes every parameter that changeable() may contain, for the live page: an object for each algorithm,
/// in which each key has `text`, `unit` (number, switch, clocks, rate, time, size or word) and, for numbers,
/// `highest`.
nlohmann::ordered_json describe_dcqcn_fields();

}  // namespace softfeb::config
