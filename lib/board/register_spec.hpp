// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/register_map.hpp"

#include <cstdint>
#include <span>

/// Notation for the register tables, for example rw("ScratchPad", 0x004, 32) or ro("RawVccInt", 0x404,
/// 12).bit(4).
namespace softfeb::board {

struct RegisterSpec {
  const char* name;
  std::uint32_t offset;  ///< byte offset in the block
  unsigned bit_size;
  RegisterAccess access;
  RegisterKind kind = RegisterKind::kVariable;
  NumberFormat format = NumberFormat::kUnsigned;
  unsigned bit_offset = 0;
  std::uint64_t reset = 0;
  unsigned poll_interval_s = 0;
  unsigned num_values = 0;
  unsigned copies = 0;  ///< number of registers name[0], name[1] …; 0 means a single register without index
  std::uint32_t step = 4;
  std::span<const EnumText> texts{};

 private:
  // This template must precede its users, because clang 14 cannot evaluate a template in a constant
  // expression before its definition.
  template <typename Member, typename Value>
  constexpr RegisterSpec with(Member RegisterSpec::*member, const Value& value) const {
    RegisterSpec copy = *this;
    copy.*member = value;
    return copy;
  }

 public:
  constexpr RegisterSpec bit(unsigned n) const { return with(&RegisterSpec::bit_offset, n); }
  constexpr RegisterSpec resets_to(std::uint64_t v) const { return with(&RegisterSpec::reset, v); }
  constexpr RegisterSpec polled(unsigned s) const { return with(&RegisterSpec::poll_interval_s, s); }
  /// Makes the register an array of `n` values, which have `bit_size` bits in total.
  constexpr RegisterSpec values(unsigned n) const { return with(&RegisterSpec::num_values, n); }
  constexpr RegisterSpec times(unsigned n) const { return with(&RegisterSpec::copies, n); }
  constexpr RegisterSpec as(NumberFormat f) const { return with(&RegisterSpec::format, f); }
  constexpr RegisterSpec named(std::span<const EnumText> t) const { return with(&RegisterSpec::texts, t); }
};

constexpr RegisterSpec ro(const char* name, std::uint32_t offset, unsigned bits) {
  return {name, offset, bits, RegisterAccess::kReadOnly};
}
constexpr RegisterSpec rw(const char* name, std::uint32_t offset, unsigned bits) {
  return {name, offset, bits, RegisterAccess::kReadWrite};
}
constexpr RegisterSpec wo(const char* name, std::uint32_t offset, unsigned bits) {
  return {name, offset, bits, RegisterAccess::kWriteOnly};
}
constexpr RegisterSpec command(const char* name, std::uint32_t offset) {
  return {name, offset, 1, RegisterAccess::kWriteOnly, RegisterKind::kCommand};
}

}  // namespace softfeb::board
