// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"
#include "congestion/algorithm.hpp"
#include "dcqcn/fields.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// Sections `dcqcn` and `congestion`. The functions here parse, format and describe parameters, and change
/// them while QPs send. The parameters are defined in dcqcn/fields.hpp and congestion/algorithm.hpp.
namespace softfeb::config {

/// Section `congestion` of a board or a QP. Section `dcqcn` has the same content, but accepts only the
/// algorithms of DCQCN.
struct CongestionConfig {
  enum class Algorithm : std::uint8_t {
    kOff,
    kFirmware,  ///< DCQCN as in the board's firmware, exact to one clock cycle
    kPaper,     ///< algorithm of the DCQCN paper (SIGCOMM 2015); also models commercial NICs
    kOther,     ///< any algorithm that is not DCQCN; see `other`
  };
  /// Determines which QPs of a board share one rate.
  enum class Scope : std::uint8_t {
    kQp,  ///< every QP has its own rate
    /// All QPs that use this section share one rate, as in the firmware, which has one reaction point and one
    /// bucket.
    kBoard,
    kIpPair,  ///< QPs with the same peer IP address share one rate
  };
  Algorithm algorithm = Algorithm::kOff;
  Scope scope = Scope::kQp;
  dcqcn::FirmwareSettings firmware;
  dcqcn::PaperSettings paper;
  /// For kOther, the algorithm and, once the configuration is resolved, its parameters.
  congestion::AlgorithmSettings other;
  /// For kOther, one element for each of Algorithm::parameters(): the value in the section, or empty if the
  /// section does not contain the parameter.
  std::vector<std::optional<double>> given;
  std::string plugin;  ///< for kOther: path of the plug-in, as written; empty for softfeb's own algorithms
  Where where;

  /// Returns the name of the algorithm: off, firmware, paper, or that of `other`.
  std::string name() const;
  /// Key of the section: `congestion` for kOther, otherwise `dcqcn`.
  const char* key() const { return algorithm == Algorithm::kOther ? "congestion" : "dcqcn"; }
};

/// Values of `algorithm` in section `congestion`.
std::vector<std::string> algorithm_values();

/// Parses a value of `field`, in its unit.
Parsed<std::uint64_t> parse_value(const dcqcn::FieldInfo& field, const std::string& text);
/// Formats a value as in a configuration file: a number, a boolean, a word, or text with a unit.
nlohmann::ordered_json emit_value(const dcqcn::FieldInfo& field, std::uint64_t value);
/// Like the two functions above, for a parameter of an algorithm other than DCQCN. parse_value() also checks
/// the value against the parameter's bounds.
Parsed<double> parse_value(const congestion::Parameter& parameter, const std::string& text);
nlohmann::ordered_json emit_value(const congestion::Parameter& parameter, double value);

/// Returns a copy of `now` in which the parameters in `given` are replaced. `given` contains the same keys
/// and values as the `dcqcn` or `congestion` section of an entry in `changes`, except `algorithm` and
/// `plugin`, which cannot change. Throws ConfigError; Where::key of each problem is a key of `given`.
CongestionConfig change_congestion(const CongestionConfig& now,
                                   const std::vector<std::pair<std::string, std::string>>& given);

/// Returns the parameters that change_congestion() accepts, with their values. The result is empty if
/// congestion control is off, or if the algorithm's parameters cannot change.
nlohmann::ordered_json changeable(const CongestionConfig& congestion);

/// Describes, for the live page, every parameter of softfeb's own algorithms that changeable() may return.
/// The result has an object for each algorithm, and this object has a key for each parameter. Each parameter
/// has `text` and `unit` (number, real, switch, clocks, rate, time, size or word). Parameters with the unit
/// number or real also have `highest` and, except for DCQCN, `lowest`.
nlohmann::ordered_json describe_congestion_parameters();
/// Returns the object of one algorithm, as in describe_congestion_parameters().
nlohmann::ordered_json describe_parameters(const congestion::Algorithm& algorithm);

}  // namespace softfeb::config
