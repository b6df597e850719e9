// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/answer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// The required value of a field in an answer.
struct FieldCheck {
  enum class Kind : std::uint8_t {
    kNumbers,  ///< one of `numbers`
    kOwn,      ///< the value with which the queue pair was set up
    kSame,     ///< the value of the first answer in the part
    kValid,    ///< for checksums: correct, or 0 if the checksum is optional
    kReport,   ///< any value is accepted, and reported as a figure
  };
  /// Name of the field, as in packet options. Also `value` (original value of an atomic operation) and
  /// `reserved` (the two halves of a CNP's 16 reserved bytes, combined by OR).
  std::string name;
  Kind kind = Kind::kNumbers;
  std::vector<std::uint64_t> numbers;
};

/// True if field_of() knows the name.
bool is_answer_field(std::string_view name);
/// Returns the value of a field; std::nullopt if the answer does not contain it. Fields above Ethernet are
/// found only in IPv4 packets. The frame's bytes are untrusted.
std::optional<std::uint64_t> field_of(const Answer& answer, std::string_view name);
/// True if the UDP checksum is 0 or right. Only for IPv4.
bool udp_checksum_valid(const Answer& answer);

}  // namespace softfeb::conformance
