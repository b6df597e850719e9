// SPDX-License-Identifier: BSD-3-Clause
#include "board/register_file.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace softfeb::board {
namespace {

constexpr std::uint32_t mask(unsigned bit, unsigned bits) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1) << bit;
}

/// Reset value of bit `i` of a register.
bool reset_bit(const Register& r, unsigned i) {
  const unsigned in_value = r.num_values > 0 ? i % r.value_bits : i;
  return in_value < 64 && (r.reset >> in_value & 1) != 0;
}

void add(RegisterFile::Word& word, const Register& r, unsigned bit, bool reset) {
  const std::uint32_t one = 1U << bit;
  if (r.access == RegisterAccess::kWriteOnly) {
    word.strobe |= one;
    return;
  }
  word.readable |= one;
  if (r.access == RegisterAccess::kReadWrite) word.writable |= one;
  if (reset) word.value |= one;
}

}  // namespace

RegisterFile::RegisterFile(const RegisterMap& map) {
  std::map<std::uint32_t, Word> words;
  for (const Register& r : map.all()) {
    for (unsigned i = 0; i < r.bit_size; ++i) {
      const unsigned bit = r.bit_offset + i;
      const std::uint32_t address = r.address + bit / 32 * 4;
      Word& word = words.try_emplace(address, Word{address, 0, 0, 0, 0}).first->second;
      add(word, r, bit % 32, reset_bit(r, i));
    }
  }
  words_.reserve(words.size());
  for (const auto& [address, word] : words) words_.push_back(word);
}

const RegisterFile::Word* RegisterFile::find(std::uint32_t address) const {
  const auto at = std::lower_bound(words_.begin(), words_.end(), address,
                                   [](const Word& w, std::uint32_t a) { return w.address < a; });
  return at != words_.end() && at->address == address ? &*at : nullptr;
}

RegisterFile::Word* RegisterFile::find(std::uint32_t address) {
  return const_cast<Word*>(std::as_const(*this).find(address));
}

std::uint32_t& BlockWords::at(std::uint32_t offset) const {
  RegisterFile::Word* const word = file_->find(base_ + offset);
  if (word == nullptr) throw std::logic_error("a block uses a register that its profile lacks");
  return word->value;
}

std::uint32_t BlockWords::get(std::uint32_t offset, unsigned bit, unsigned bits) const {
  return (at(offset) & mask(bit, bits)) >> bit;
}

void BlockWords::set(std::uint32_t offset, unsigned bit, unsigned bits, std::uint32_t value) {
  std::uint32_t& word = at(offset);
  const std::uint32_t m = mask(bit, bits);
  word = (word & ~m) | (value << bit & m);
}

std::uint64_t BlockWords::get64(std::uint32_t offset) const {
  return std::uint64_t{get(offset + 4)} << 32 | get(offset);
}

void BlockWords::set64(std::uint32_t offset, std::uint64_t value) {
  set(offset, static_cast<std::uint32_t>(value));
  set(offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void BlockWords::set_bytes(std::uint32_t offset, ByteSpan bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    set(offset + static_cast<std::uint32_t>(i / 4 * 4), static_cast<unsigned>(i % 4 * 8), 8, bytes[i]);
}

void BlockWords::get_bytes(std::uint32_t offset, MutableByteSpan out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(
        get(offset + static_cast<std::uint32_t>(i / 4 * 4), static_cast<unsigned>(i % 4 * 8), 8));
  }
}

void BlockWords::set_text(std::uint32_t offset, std::string_view text, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  std::copy_n(text.begin(), std::min(text.size(), size), bytes.begin());
  set_bytes(offset, bytes);
}

}  // namespace softfeb::board
