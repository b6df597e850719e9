// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

/// Reads files of vectors/cc. Most contain the golden trace of a congestion control algorithm, recorded from
/// a reference model.
namespace softfeb::test {

/// A JSON document, which always has the member `algorithm`. Most traces also have `parameters`, `tolerance`
/// and `events`. An event consists of a time `t` in picoseconds, a kind `event`, inputs, and the state
/// `expect` after the event. The event's member `inside` contains the model's internal state, which is not
/// compared.
struct CcFile {
  nlohmann::json document;

  const std::string& algorithm() const { return document.at("algorithm").get_ref<const std::string&>(); }
};

/// Reads a file. Throws std::exception if it is not a trace of a known format.
CcFile read_cc_file(const std::filesystem::path& path);

/// Converts hexadecimal digits to bytes. Throws std::exception for anything else.
std::vector<std::uint8_t> from_hex(const std::string& hex);

/// Selects files of vectors/cc: Homa traces, files about the wire format, or all other files. Each kind has
/// its own test program. cc_files() returns the selected files, sorted.
enum class CcKind : std::uint8_t { kHoma, kWire, kOthers };
std::vector<std::filesystem::path> cc_files(CcKind kind);

/// Maps names, as used in a trace, to values.
using CcValues = std::map<std::string_view, double>;

/// Compares the expected values of an event with the values `shown` of the algorithm, and describes the first
/// difference. A tolerance in a trace has the form [relative, absolute]. A value passes if it is within the
/// relative or the absolute tolerance. Values without a tolerance must be equal.
std::optional<std::string> cc_difference(const CcFile& file, const nlohmann::json& event,
                                         const CcValues& shown);

/// Assigns the parameters of a trace to the members of a parameter struct by name.
class CcParameters {
 public:
  template <typename T>
  CcParameters& add(const char* name, T& member) {
    setters_[name] = [&member](const nlohmann::json& value) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        member = static_cast<T>(value.is_number_integer() ? value.get<std::int64_t>()
                                                          : std::llround(value.get<double>()));
      } else {
        member = value.get<T>();
      }
    };
    return *this;
  }
  /// Accepts a parameter `name` for which the struct has no member.
  CcParameters& ignore(const char* name) {
    setters_[name] = [](const nlohmann::json&) {};
    return *this;
  }
  /// Assigns all parameters. Throws if the trace has a parameter that was neither added nor ignored.
  void read(const nlohmann::json& parameters) const;

 private:
  std::map<std::string, std::function<void(const nlohmann::json&)>, std::less<>> setters_;
};

}  // namespace softfeb::test
