// SPDX-License-Identifier: BSD-3-Clause
#include "roce/unordered_writes.hpp"

#include "roce/opcode.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

constexpr std::uint32_t kUnorderedPmtu = 256;
constexpr std::uint64_t kUnorderedAddress = 0x1000;

/// A sink that stores the placed data and logs all calls.
struct UnorderedLog final : UnorderedSink {
  const MemoryRegion* admit(std::uint32_t, const Reth& reth) override {
    return region.holds(reth.virtual_address, reth.dma_length) ? &region : nullptr;
  }
  void place(std::uint32_t, std::uint64_t index, const Segments& bytes, std::uint8_t* to) override {
    bytes.copy(0, bytes.size(), to);
    placed.push_back(index);
  }
  void complete(std::uint32_t qp, std::uint64_t index, const MessageEvent& m) override {
    completed.push_back({qp, index, m});
  }
  void abandoned(std::uint32_t, std::uint32_t bytes) override { given_up += bytes; }
  void dropped(std::uint32_t, RegistrationVerdict verdict) override { drops.push_back(verdict); }
  void duplicate(std::uint32_t) override { ++duplicates; }

  struct Complete {
    std::uint32_t qp;
    std::uint64_t index;
    MessageEvent message;
  };
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(8192);
  MemoryRegion region{kUnorderedAddress, memory.size(), 1, memory.data()};
  std::vector<std::uint64_t> placed;
  std::vector<Complete> completed;
  std::vector<RegistrationVerdict> drops;
  std::uint32_t given_up = 0;
  std::uint64_t duplicates = 0;
};

/// Makes the packets of a WRITE with immediate. Byte i of the payload is i mod 251.
struct TestWrite {
  explicit TestWrite(std::uint32_t length, std::uint64_t offset = 0)
      : address(kUnorderedAddress + offset), bytes(length) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i % 251);
  }
  std::uint32_t count() const {
    return (static_cast<std::uint32_t>(bytes.size()) + kUnorderedPmtu - 1) / kUnorderedPmtu;
  }
  ReceivedRequest packet(std::uint32_t k) const {
    ReceivedRequest r;
    const bool first = k == 0, last = k + 1 == count();
    const Operation op = first ? (last ? Operation::kWriteOnlyImm : Operation::kWriteFirst)
                               : (last ? Operation::kWriteLastImm : Operation::kWriteMiddle);
    r.bth.opcode = opcode(Transport::kUc, op);
    r.payload = ByteSpan(bytes).subspan(
        k * kUnorderedPmtu, std::min<std::size_t>(kUnorderedPmtu, bytes.size() - k * kUnorderedPmtu));
    r.bth.pad_count = -r.payload.size() & 3U;
    if (first) r.reth = {address, 1, static_cast<std::uint32_t>(bytes.size())};
    if (last) r.immediate = 7;
    return r;
  }
  std::uint64_t address;
  std::vector<std::uint8_t> bytes;
};

struct UnorderedBench {
  explicit UnorderedBench(UnorderedConfig config = {.pmtu = kUnorderedPmtu,
                                                    .packets = 16,
                                                    .entries = 4,
                                                    .escape = 4,
                                                    .timeout = 100})
      : writes(config, sink) {}
  void arrive(Time now, const TestWrite& w, std::uint64_t first, std::uint32_t k, std::uint32_t qp = 0) {
    writes.packet(now, qp, first + k, w.packet(k));
  }
  UnorderedLog sink;
  UnorderedWrites writes;
};

}  // namespace

TEST_CASE("packets of a WRITE are placed in any order", "[unordered]") {
  const TestWrite w(1000, 64);
  std::vector<std::uint32_t> order{0, 1, 2, 3};
  do {
    UnorderedBench b;
    for (const std::uint32_t k : order) {
      CHECK(b.sink.completed.empty());
      b.arrive(1, w, 50, k);
    }
    REQUIRE(b.sink.completed.size() == 1);
    CHECK(b.sink.completed[0].index == 53);
    CHECK(b.sink.completed[0].message.address == kUnorderedAddress + 64);
    CHECK(b.sink.completed[0].message.length == 1000);
    CHECK(b.sink.completed[0].message.immediate == 7);
    CHECK(std::equal(w.bytes.begin(), w.bytes.end(), b.sink.memory.begin() + 64));
    CHECK(b.sink.drops.empty());
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("WRITEs that overlap in time are kept apart", "[unordered]") {
  UnorderedBench b;
  const TestWrite one(512), two(600, 1024);
  b.arrive(1, two, 2, 1);  // waits for the first packet of its WRITE
  b.arrive(1, one, 0, 0);
  b.arrive(1, two, 2, 0);
  b.arrive(1, one, 0, 0, 1);  // the same PSN, but for another queue pair
  CHECK(b.sink.completed.empty());
  b.arrive(1, two, 2, 2);
  b.arrive(1, one, 0, 1);
  REQUIRE(b.sink.completed.size() == 2);
  CHECK(b.sink.completed[0].index == 4);
  CHECK(b.sink.completed[1].index == 1);
}

TEST_CASE("late packets of a complete WRITE are duplicates", "[unordered]") {
  UnorderedBench b;
  const TestWrite w(512);
  for (const std::uint32_t k : {0U, 1U, 1U, 0U}) b.arrive(1, w, 10, k);
  CHECK(b.sink.completed.size() == 1);
  CHECK(b.sink.duplicates == 2);
  CHECK(b.sink.placed.size() == 2);
}

TEST_CASE("incomplete WRITEs and packets without FIRST are given up", "[unordered]") {
  UnorderedBench b;
  const TestWrite w(1000);
  b.arrive(0, w, 0, 0);
  b.arrive(10, w, 0, 2);
  b.arrive(20, w, 100, 1);
  CHECK(b.writes.next_event() == 100);
  b.writes.advance(100);
  CHECK(b.sink.given_up == 512);
  CHECK(b.sink.drops.empty());
  b.writes.advance(120);
  CHECK(b.sink.drops == std::vector{RegistrationVerdict::kEscapeTimeout});
  CHECK(b.writes.table().open() == 0);
  // The packets that timed out no longer occupy the escape channel, so it accepts others until it is full.
  for (std::uint64_t i = 0; i < 5; ++i) b.arrive(130, w, 200 + 10 * i, 1);
  CHECK(b.sink.drops.back() == RegistrationVerdict::kEscapeFull);
  CHECK(b.writes.table().waiting() == 4);
}

TEST_CASE("packets that contradict their WRITE are dropped", "[unordered]") {
  UnorderedBench b;
  const TestWrite w(1000);
  ReceivedRequest r = w.packet(0);
  r.reth.virtual_address = 0;
  b.writes.packet(0, 0, 0, r);  // address 0 is outside the region
  CHECK(b.writes.table().counters().packets == 0);
  b.arrive(0, TestWrite(17 * kUnorderedPmtu), 0, 0);
  CHECK(b.sink.drops == std::vector{RegistrationVerdict::kTooLarge});
  b.arrive(0, w, 0, 0);
  r = w.packet(1);
  r.payload = r.payload.sub(0, 100);
  b.writes.packet(0, 0, 1, r);  // too short for a MIDDLE packet
  CHECK(b.sink.drops.back() == RegistrationVerdict::kInvalid);
  r = w.packet(1);
  r.bth.opcode = opcode(Transport::kUc, Operation::kSendMiddle);
  b.writes.packet(0, 0, 1, r);
  CHECK(b.sink.drops.size() == 3);
  // A LAST packet in the middle of a WRITE makes the WRITE invalid, even if all of its packets arrive.
  r = w.packet(1);
  r.bth.opcode = opcode(Transport::kUc, Operation::kWriteLast);
  b.writes.packet(0, 0, 1, r);
  b.arrive(0, w, 0, 2);
  b.arrive(0, w, 0, 3);
  CHECK(b.sink.completed.empty());
  CHECK(b.sink.given_up == 1000);
}

TEST_CASE("an empty WRITE is complete at once", "[unordered]") {
  UnorderedBench b;
  ReceivedRequest r;
  r.bth.opcode = opcode(Transport::kUc, Operation::kWriteOnlyImm);
  r.immediate = 9;
  b.writes.packet(0, 3, 5, r);
  REQUIRE(b.sink.completed.size() == 1);
  CHECK(b.sink.completed[0].message.immediate == 9);
  CHECK(b.sink.completed[0].qp == 3);
}
