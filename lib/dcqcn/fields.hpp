// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/algorithm.hpp"
#include "dcqcn/firmware_parameters.hpp"
#include "dcqcn/paper_parameters.hpp"

#include <cstdint>
#include <span>
#include <string_view>

/// Two tables of parameters: one for the firmware's DCQCN, one for the paper's. These tables are used to read
/// and write configurations, to implement the registers and the live page, and to check the tables of
/// doc/dcqcn.md. To add a parameter, add a member to the struct and a line to the algorithm's table in
/// fields.cpp, then document the key in conf/reference.yaml. The tests report what is missing.
namespace softfeb::dcqcn {

using congestion::Unit;

/// A bit field of a register in a slot of the board's DCQCN block.
struct RegisterBits {
  const char* name = "";     ///< name in PyRogue's tree; empty means no register
  std::uint32_t offset = 0;  ///< offset of the word in bytes
  unsigned first = 0;        ///< position of the lowest bit in the word
  unsigned count = 0;

  /// Largest value that fits in the bit field.
  constexpr std::uint32_t highest() const { return count >= 32 ? UINT32_MAX : (1U << count) - 1; }
  /// Extracts the value from `word`.
  constexpr std::uint32_t get(std::uint32_t word) const { return word >> first & highest(); }
  /// Returns `word` with these bits set to `value`. Higher bits of `value` are ignored.
  constexpr std::uint32_t put(std::uint32_t word, std::uint32_t value) const {
    return (word & ~(highest() << first)) | (value & highest()) << first;
  }
};

/// Offset of the word with DcqcnBypass, which is the only parameter that older firmware lacks.
inline constexpr std::uint32_t kBypassOffset = 0x24;

/// Description of a parameter.
struct FieldInfo {
  std::string_view name;     ///< key in the configuration
  std::string_view alias{};  ///< NIC vendor's name for the key, also accepted; empty if there is none
  Unit unit = Unit::kCount;
  std::uint64_t highest = UINT64_MAX;  ///< largest value allowed
  RegisterBits bits{};
  std::string_view text{};                    ///< meaning of the parameter, in one line
  std::span<const std::string_view> words{};  ///< kWord: notation of each value
  /// If true, 0 means that the parameter has no value: a configuration cannot contain 0, and output omits a
  /// parameter that is 0.
  bool optional = false;
};

/// Describes a parameter of `Parameters` and accesses it.
template <class Parameters>
struct Field : FieldInfo {
  std::uint64_t (*get)(const Parameters&) = nullptr;
  /// `value` must not exceed `highest`.
  void (*set)(Parameters&, std::uint64_t value) = nullptr;
};

using FirmwareField = Field<FirmwareParameters>;
using PaperField = Field<PaperParameters>;

/// Fields in the order of the configuration. Every field of the firmware has a register.
std::span<const FirmwareField> firmware_fields();
std::span<const PaperField> paper_fields();

/// The fields of `Parameters`, for use in templates.
template <class Parameters>
std::span<const Field<Parameters>> fields_of();
template <>
inline std::span<const FirmwareField> fields_of<FirmwareParameters>() {
  return firmware_fields();
}
template <>
inline std::span<const PaperField> fields_of<PaperParameters>() {
  return paper_fields();
}

}  // namespace softfeb::dcqcn
