// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"

#include "failure.hpp"
#include "value.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

/// Returns true if a read of the register returns the value that was written. This does not hold for the
/// registers of the flash memory, which return a response of the flash memory.
bool reads_back(const Register& reg) {
  return reg.access == Access::kReadWrite && reg.path.find("AxiMicronN25Q") == std::string::npos;
}

void send(RegisterPort& board, std::uint32_t address, ByteSpan data, const WriteMode& mode) {
  if (mode.posted)
    board.post(address, data);
  else
    board.write(address, data);
}

}  // namespace

std::vector<Reading> read_registers(RegisterPort& board, const std::vector<Register>& registers) {
  std::vector<Range> ranges;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> index;
  for (const Register& reg : registers) {
    const Range range = reg.range();
    if (index.try_emplace({range.address, range.bytes}, ranges.size()).second) ranges.push_back(range);
  }
  const std::vector<ReadResult> results = board.read_many(ranges);
  std::vector<Reading> readings;
  readings.reserve(registers.size());
  for (const Register& reg : registers) {
    const Range range = reg.range();
    const ReadResult& result = results[index.at({range.address, range.bytes})];
    readings.push_back({reg, result.error.empty() ? extract(reg, result.bytes) : Bits{}, result.error});
  }
  return readings;
}

Bits read_register(RegisterPort& board, const Register& reg) { return extract(reg, board.read(reg.range())); }

std::uint64_t read_number(RegisterPort& board, const Register& reg) {
  return low64(read_register(board, reg));
}

void write_register(RegisterPort& board, const Catalogue& catalogue, const Register& reg, const Bits& bits,
                    const WriteMode& mode) {
  const Range range = reg.range();
  Bytes words(range.bytes, 0);
  if (catalogue.shares_words(reg)) words = board.read(range);
  insert(reg, bits, words);
  send(board, range.address, words, mode);
  if (!mode.verify || mode.posted || !reads_back(reg)) return;
  const Bits back = read_register(board, reg);
  if (back != bits) {
    throw Refusal(
        fmt::format("{}: wrote {}, reads back {}", reg.path, value_text(reg, bits), value_text(reg, back)));
  }
}

void write_number(RegisterPort& board, const Catalogue& catalogue, const Register& reg, std::uint64_t value) {
  write_register(board, catalogue, reg, bits_of(value, reg.bit_size));
}

void write_words(RegisterPort& board, const Catalogue& catalogue, std::uint32_t address,
                 const std::vector<std::uint32_t>& words, const WriteMode& mode) {
  Bytes data(words.size() * 4);
  for (std::size_t i = 0; i < words.size(); ++i) store_le32(&data[i * 4], words[i]);
  send(board, address, data, mode);
  if (!mode.verify || mode.posted) return;
  const Bytes back = board.read({address, static_cast<std::uint32_t>(data.size())});
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    const std::uint32_t at = address + i * 4;
    const std::uint32_t mask = catalogue.read_write_mask(at);
    const std::uint32_t got = load_le32(&back[std::size_t{i} * 4]);
    if (((got ^ words[i]) & mask) != 0) {
      throw Refusal(fmt::format("{:#010x}: wrote {:#010x}, reads back {:#010x} (writable bits: {:#010x})", at,
                                words[i], got, mask));
    }
  }
}

}  // namespace softfeb::febctl
