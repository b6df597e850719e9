// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/responder.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softfeb::roce::test {

inline constexpr std::uint32_t kPmtu = 256;
inline constexpr std::uint64_t kAddress = 0x7f00'0000'1000;
inline constexpr std::uint32_t kRkey = 0x1234;
inline constexpr std::size_t kGuard = 4096;
inline constexpr std::uint8_t kUntouched = 0xee;

/// A memory region of `length` bytes with guard bytes on both sides.
struct Memory {
  explicit Memory(std::size_t length) : bytes(length + 2 * kGuard, kUntouched), size(length) {
    regions.push_back({kAddress, length, kRkey, bytes.data() + kGuard});
  }
  std::uint8_t* data() { return bytes.data() + kGuard; }
  bool guards_intact() const {
    const auto intact = [](std::uint8_t b) { return b == kUntouched; };
    return std::all_of(bytes.begin(), bytes.begin() + kGuard, intact) &&
           std::all_of(bytes.end() - kGuard, bytes.end(), intact);
  }
  bool untouched() const {
    return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == kUntouched; });
  }

  std::vector<std::uint8_t> bytes;
  std::size_t size;
  std::vector<MemoryRegion> regions;
};

/// A request packet with its payload. Tests may change any field.
struct TestPacket {
  ReceivedRequest request;
  std::vector<std::uint8_t> payload;

  const ReceivedRequest& get() {
    request.payload = Segments(ByteSpan(payload));
    return request;
  }
};

inline TestPacket packet(Transport t, Operation op, Psn psn, std::size_t size, std::uint8_t fill = 0xa5) {
  TestPacket p;
  p.payload.assign(size, fill);
  p.request.bth.opcode = opcode(t, op);
  p.request.bth.psn = psn & kPsnMask;
  p.request.bth.pad_count = -size & 3U;
  p.request.bth.ack_req = ends_message(op);
  p.request.reth = {kAddress, kRkey, static_cast<std::uint32_t>(size)};
  return p;
}

/// Returns the packets of one WRITE, as a correct requester sends them.
inline std::vector<TestPacket> write_message(Transport t, Psn psn, std::uint64_t offset,
                                             const std::vector<std::uint8_t>& data, bool immediate = false,
                                             std::uint32_t value = 0) {
  const std::size_t n = std::max<std::size_t>(1, (data.size() + kPmtu - 1) / kPmtu);
  std::vector<TestPacket> out;
  for (std::size_t i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const std::size_t size = last ? data.size() - i * kPmtu : kPmtu;
    Operation op = Operation::kWriteMiddle;
    if (n == 1) {
      op = immediate ? Operation::kWriteOnlyImm : Operation::kWriteOnly;
    } else if (i == 0) {
      op = Operation::kWriteFirst;
    } else if (last) {
      op = immediate ? Operation::kWriteLastImm : Operation::kWriteLast;
    }
    TestPacket p = packet(t, op, psn + static_cast<Psn>(i), 0);
    const auto from = data.begin() + static_cast<std::ptrdiff_t>(i * kPmtu);
    p.payload.assign(from, from + static_cast<std::ptrdiff_t>(size));
    p.request.bth.pad_count = -size & 3U;
    p.request.reth = {kAddress + offset, kRkey, static_cast<std::uint32_t>(data.size())};
    p.request.immediate = value;
    out.push_back(std::move(p));
  }
  return out;
}

inline ResponderConfig config(Transport t, Psn psn = 100) {
  ResponderConfig c;
  c.transport = t;
  c.pmtu = kPmtu;
  c.expected_psn = psn;
  return c;
}

}  // namespace softfeb::roce::test
