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

/// Section `dcqcn`, the notation of its parameters (dcqcn/fields.hpp), and parameter changes while QPs send.
namespace softfeb::config {

/// Section `dcqcn` of a board or a QP: congestion control.
struct DcqcnConfig {
  enum class Algorithm : std::uint8_t {
    kOff,
    kFirmware,  ///< the board's algorithm, clock-exact
    kPaper,     ///< algorithm of the DCQCN paper (SIGCOMM 2015); also models commercial NICs
  };
  /// Set of QPs of the board that share a rate.
  enum class Scope : std::uint8_t {
    kQp,      ///< none: each QP has its own
    kBoard,   ///< all with this section: the firmware has one reaction point and one bucket
    kIpPair,  ///< those with the same peer IP address
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

/// Returns `now` with the parameters in `given` replaced. Keys and values are those of `dcqcn` in an element
/// of `changes`, except `algorithm`, which cannot change. Throws ConfigError; Where::key of each problem is a
/// key of `given`.
DcqcnConfig change_dcqcn(const DcqcnConfig& now,
                         const std::vector<std::pair<std::string, std::string>>& given);

/// Returns the parameters of `dcqcn` that change_dcqcn() accepts, with their values. Empty without congestion
/// control.
nlohmann::ordered_json changeable(const DcqcnConfig& dcqcn);

/// Describes every parameter that changeable() may contain, for the live page: an object for each algorithm,
/// in which each key has `text`, `unit` (number, switch, clocks, rate, time, size or word) and, for numbers,
/// `highest`.
nlohmann::ordered_json describe_dcqcn_fields();

}  // namespace softfeb::config
