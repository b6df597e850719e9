// SPDX-License-Identifier: BSD-3-Clause
#include "guarded_memory.hpp"

namespace softfeb::sink {

MutableByteSpan bytes_of(MutableByteSpan memory, const MemoryRange& range) {
  const auto guard = static_cast<std::int64_t>(kGuard);
  const auto from = static_cast<std::uint64_t>(range.offset + guard);
  if (range.offset < -guard || from > memory.size() || range.length > memory.size() - from)
    throw Refusal("the range leaves region " + std::to_string(range.region) + ", which has " +
                  std::to_string(memory.size() - 2 * kGuard) + " bytes and " + std::to_string(kGuard) +
                  " guard bytes on each side; fix: use a smaller 'offset' or 'length'");
  return memory.subspan(from, range.length);
}

void check_memory(std::uint64_t used, std::uint64_t more, std::uint64_t limit) {
  if (used <= limit && more <= limit - used) return;
  throw Refusal(std::to_string(more) + " bytes do not fit beside the " + std::to_string(used) +
                " bytes in use, because a session has at most " + std::to_string(limit) +
                " bytes; fix: free regions, or rdma-sink --memory " + std::to_string(used + more));
}

std::string to_hex(ByteSpan bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace softfeb::sink
