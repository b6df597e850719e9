// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/board_registers.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace softfeb::test {

/// A client of a board's registers. The test sets `live`, from which live registers take their values.
class RegisterAccessor {
 public:
  explicit RegisterAccessor(board::BoardRegisters& board) : board_(board) {}

  board::LiveState live;
  Time now = 0;
  board::Actions actions;  ///< the actions that the writes so far have requested

  board::AccessResult read(std::uint32_t address, MutableByteSpan out) {
    return board_.read(address, out, live, now);
  }
  board::AccessResult write(std::uint32_t address, ByteSpan data) {
    return board_.write(address, data, live, now, actions);
  }

  std::uint32_t word(std::uint32_t address) {
    std::array<std::uint8_t, 4> bytes{};
    read(address, bytes);
    return load_le32(bytes.data());
  }
  void set_word(std::uint32_t address, std::uint32_t value) {
    std::array<std::uint8_t, 4> bytes{};
    store_le32(bytes.data(), value);
    write(address, bytes);
  }

  /// Reads a register of up to 64 bits.
  std::uint64_t value(const board::Register& r) {
    std::uint64_t low = word(r.address);
    if (r.words() > 1) low |= std::uint64_t{word(r.address + 4)} << 32;
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - r.bit_size);
    return low >> r.bit_offset & ones;
  }
  std::uint64_t value(std::string_view path) { return value(board_.profile().map().one(path)); }

  /// Writes a register as PyRogue does: as whole words, which include bits of other registers.
  void set(std::string_view path, std::uint64_t value) {
    const board::Register& r = board_.profile().map().one(path);
    std::vector<std::uint8_t> bytes(r.words() * 4);
    read(r.address, bytes);
    for (unsigned i = 0; i < r.bit_size; ++i) {
      const unsigned bit = r.bit_offset + i;
      const auto mask = static_cast<std::uint8_t>(1U << bit % 8);
      const bool one = i < 64 && (value >> i & 1) != 0;
      bytes[bit / 8] = static_cast<std::uint8_t>(one ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
    }
    write(r.address, bytes);
  }

 private:
  board::BoardRegisters& board_;
};

}  // namespace softfeb::test
