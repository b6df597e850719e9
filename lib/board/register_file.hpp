// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "board/register_map.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace softfeb::board {

/// The words that registers lie in, with what each bit lets clients do. Between them are holes.
class RegisterFile {
 public:
  /// Reset values as the map has them.
  explicit RegisterFile(const RegisterMap& map);

  /// Nothing where no register has a bit in the word at `address`.
  struct Word {
    std::uint32_t address;
    std::uint32_t readable;  ///< other bits read as 0: unused ones, and write-only
    std::uint32_t writable;  ///< of those readable: writes are kept
    std::uint32_t strobe;    ///< write-only
    std::uint32_t value;
  };
  /// Null where no register has a bit in the word at `address`.
  Word* find(std::uint32_t address);
  const Word* find(std::uint32_t address) const;
  std::size_t size() const { return words_.size(); }

 private:
  std::vector<Word> words_;  ///< in the order of their addresses
};

/// A block's part of it, by offset. Offsets are of words that exist, fields of up to 32 bits in one of them.
class BlockWords {
 public:
  BlockWords(RegisterFile& file, std::uint32_t base) : file_(&file), base_(base) {}

  std::uint32_t get(std::uint32_t offset, unsigned bit = 0, unsigned bits = 32) const;
  void set(std::uint32_t offset, std::uint32_t value) { set(offset, 0, 32, value); }
  void set(std::uint32_t offset, unsigned bit, unsigned bits, std::uint32_t value);

  std::uint64_t get64(std::uint32_t offset) const;
  void set64(std::uint32_t offset, std::uint64_t value);

  /// Bytes in the order of their addresses; a last word that they do not fill keeps the rest of its bits.
  void set_bytes(std::uint32_t offset, ByteSpan bytes);
  void get_bytes(std::uint32_t offset, MutableByteSpan out) const;

  /// Text in a register of `size` bytes, padded with zeros.
  void set_text(std::uint32_t offset, std::string_view text, std::size_t size);

 private:
  std::uint32_t& at(std::uint32_t offset) const;

  RegisterFile* file_;
  std::uint32_t base_;
};

}  // namespace softfeb::board
