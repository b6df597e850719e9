// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "board/register_map.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace softfeb::board {

/// The words of the register space, with the access rights of each bit. Words without a register do not
/// exist.
class RegisterFile {
 public:
  /// Initializes all words with the map's reset values.
  explicit RegisterFile(const RegisterMap& map);

  /// A 32-bit word that contains at least one register bit.
  struct Word {
    std::uint32_t address;
    std::uint32_t readable;  ///< readable bits; all other bits (unused or write-only) read as 0
    std::uint32_t writable;  ///< bits that store what is written; subset of `readable`
    std::uint32_t strobe;    ///< write-only bits, which are not stored
    std::uint32_t value;
  };
  /// Returns null if the word at `address` contains no register bits.
  Word* find(std::uint32_t address);
  const Word* find(std::uint32_t address) const;
  std::size_t size() const { return words_.size(); }

 private:
  std::vector<Word> words_;  ///< sorted by address
};

/// A block's words in the register file, by byte offset in the block. Offsets must refer to existing words. A
/// field has up to 32 bits and lies within one word.
class BlockWords {
 public:
  BlockWords(RegisterFile& file, std::uint32_t base) : file_(&file), base_(base) {}

  std::uint32_t get(std::uint32_t offset, unsigned bit = 0, unsigned bits = 32) const;
  void set(std::uint32_t offset, std::uint32_t value) { set(offset, 0, 32, value); }
  void set(std::uint32_t offset, unsigned bit, unsigned bits, std::uint32_t value);

  std::uint64_t get64(std::uint32_t offset) const;
  void set64(std::uint32_t offset, std::uint64_t value);

  /// Both functions use the bytes in address order. If `bytes` does not fill the last word, the remaining
  /// bits of this word are unchanged.
  void set_bytes(std::uint32_t offset, ByteSpan bytes);
  void get_bytes(std::uint32_t offset, MutableByteSpan out) const;

  /// Stores text in a register of `size` bytes, padded with zeros.
  void set_text(std::uint32_t offset, std::string_view text, std::size_t size);

 private:
  std::uint32_t& at(std::uint32_t offset) const;

  RegisterFile* file_;
  std::uint32_t base_;
};

}  // namespace softfeb::board
