// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/memory_model.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Kind = WrittenSpec::Kind;

constexpr std::uint64_t kSize = 4096;
constexpr std::uint64_t kMargin = 64;
constexpr roce::Psn kFirst = 0xffffff;  // the PSNs wrap

/// A memory model, and the memory of a target that has not written anything yet.
struct Rig {
  MemoryModel model{kSize};
  Bytes memory = Bytes(kSize, kGuard);

  Rig() { model.open(0, kFirst); }

  void send(std::uint32_t psn, std::uint64_t offset, const Bytes& payload, bool dropped = false,
            PacketKind kind = PacketKind::kOnly, std::uint32_t region = 0) {
    ScriptPacket packet;
    packet.spec.kind = kind;
    packet.psn = (kFirst + psn) & roce::kPsnMask;
    packet.offset = offset;
    packet.payload = payload;
    packet.region = region;
    model.sent(packet, 0, dropped);
  }
  void acknowledge(std::uint32_t psn) { model.acknowledged(0, (kFirst + psn) & roce::kPsnMask); }
  void write(std::uint64_t offset, const Bytes& bytes) {
    std::copy(bytes.begin(), bytes.end(), memory.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::vector<MemoryDifference> differences(const WrittenSpec& written = {}) const {
    std::vector<MemoryDifference> out;
    for (const MemoryModel::Range& r : model.ranges()) {
      const auto from = memory.begin() + static_cast<std::ptrdiff_t>(r.offset);
      model.compare(r, written, Bytes(from, from + static_cast<std::ptrdiff_t>(r.length)), out);
    }
    return out;
  }
  /// Returns the texts of all differences.
  std::string wrong(const WrittenSpec& written = {}) const {
    std::string out;
    for (const MemoryDifference& d : differences(written))
      out += (out.empty() ? "" : "; ") + std::to_string(d.offset) + ": " + d.text;
    return out;
  }
};

WrittenSpec kind(Kind k) { return {.kind = k, .packets = {}, .tolerated = {}}; }

constexpr const char* kGuardText = "a byte that no packet may change was changed";

}  // namespace

TEST_CASE("acknowledged packets are in memory, and nothing else", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 2, 3, 4});
  rig.send(1, 200, {5, 6, 7, 8});
  CHECK(rig.wrong() == "");
  rig.acknowledge(0);
  CHECK(rig.wrong() == "100: packet 1 is not in memory");
  rig.write(100, {1, 2, 3, 4});
  CHECK(rig.wrong() == "");
  rig.write(200, {5, 6, 7, 8});
  CHECK(rig.wrong() == "200: packet 2 was written although it must not be");
  rig.acknowledge(1);
  CHECK(rig.wrong() == "");
  rig.write(99, {0});
  CHECK(rig.wrong() == std::string("99: ") + kGuardText);
}

TEST_CASE("a difference shows the bytes that are wrong", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 2, 3, 4});
  rig.acknowledge(0);
  rig.write(100, {1, 9, 3, 4});
  const auto found = rig.differences();
  REQUIRE(found.size() == 1);
  CHECK(found[0].offset == 101);
  CHECK_FALSE(found[0].guard);
  CHECK(Bytes(found[0].expected.begin(), found[0].expected.begin() + 4) == Bytes{2, 3, 4, kGuard});
  CHECK(Bytes(found[0].found.begin(), found[0].found.begin() + 4) == Bytes{9, 3, 4, kGuard});
  CHECK(found[0].expected.size() == found[0].found.size());
  CHECK(found[0].expected.size() <= 64);
  rig.write(100 + 4 + kMargin - 1, {0});
  REQUIRE(rig.differences().size() == 2);
  CHECK(rig.differences()[1].guard);
  CHECK(rig.differences()[1].found.size() == 1);  // the compared range ends after this byte
}

TEST_CASE("a packet at another PSN than expected is not acknowledged by later ACKs", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 1});
  rig.send(2, 300, {3, 3});  // a gap
  rig.send(1, 200, {2, 2});
  rig.send(0, 400, {9, 9});  // a duplicate
  rig.acknowledge(2);
  rig.write(100, {1, 1});
  rig.write(200, {2, 2});
  CHECK(rig.wrong() == "");
  rig.write(300, {3, 3});
  CHECK(rig.wrong() == "300: packet 2 was written although it must not be");
  rig.send(2, 300, {3, 3});
  rig.acknowledge(2);
  CHECK(rig.wrong() == "");
}

TEST_CASE("a packet for which a receive was missing is sent again", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 1});
  rig.send(1, 200, {2, 2});
  rig.send(2, 300, {3, 3});
  rig.model.refused(0, (kFirst + 1) & roce::kPsnMask);
  rig.write(100, {1, 1});
  rig.send(1, 220, {4, 4});
  rig.acknowledge(1);
  CHECK(rig.wrong() == "220: packet 4 is not in memory");
  rig.write(220, {4, 4});
  CHECK(rig.wrong() == "");
}

TEST_CASE("a READ request takes the PSNs of its response", "[memory]") {
  Rig rig;
  ScriptPacket read;
  read.spec.kind = PacketKind::kRead;
  read.psn = kFirst;
  read.psns = 3;
  rig.model.sent(read, 0, false);
  rig.send(3, 100, {1, 1});
  rig.acknowledge(3);
  CHECK(rig.wrong() == "100: packet 2 is not in memory");
}

TEST_CASE("a part says which packets must be in memory", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 1});
  rig.send(1, 200, {2, 2}, true);
  rig.send(2, 300, {3, 3});
  CHECK(rig.wrong(kind(Kind::kAll)) == "100: packet 1 is not in memory; 300: packet 3 is not in memory");
  CHECK(rig.wrong(kind(Kind::kNone)) == "");
  CHECK(rig.wrong(kind(Kind::kAny)) == "");
  WrittenSpec listed = kind(Kind::kListed);
  listed.packets = {2};
  CHECK(rig.wrong(listed) == "200: packet 2 is not in memory");
  rig.write(100, {1, 1});
  rig.write(300, {3, 3});
  CHECK(rig.wrong(kind(Kind::kAll)) == "");
  CHECK(rig.wrong(kind(Kind::kNone)) ==
        "100: packet 1 was written although it must not be; "
        "300: packet 3 was written although it must not be");
  CHECK(rig.wrong(kind(Kind::kAny)) == "");
  listed.packets = {1};
  listed.tolerated = {3};
  CHECK(rig.wrong(listed) == "");
  rig.write(300, {kGuard, 7});
  CHECK(rig.wrong(listed) == "");  // a tolerated packet need not be in memory completely
}

TEST_CASE("guard bytes are compared even if any packet may be in memory", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 1});
  rig.write(102, {1});
  CHECK(rig.wrong(kind(Kind::kAny)) == std::string("102: ") + kGuardText);
}

TEST_CASE("the latest of overlapping packets is in memory", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 1, 1, 1});
  rig.send(1, 102, {2, 2, 2, 2});
  rig.acknowledge(1);
  rig.write(100, {1, 1, 2, 2, 2, 2});
  CHECK(rig.wrong() == "");
  rig.write(100, {1, 1, 1, 1, 2, 2});
  CHECK(rig.wrong() == "102: packet 2 is not in memory");
  WrittenSpec tolerated;
  tolerated.tolerated = {2};
  CHECK(rig.wrong(tolerated) == "");
  tolerated.tolerated = {1};
  CHECK(rig.wrong(tolerated) == "102: packet 2 is not in memory");
}

TEST_CASE("packets that are not WRITEs change nothing", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 1}, false, PacketKind::kSendOnly);
  rig.acknowledge(0);
  CHECK(rig.wrong() == "");
  rig.write(100, {1, 1});
  CHECK(rig.wrong() == "100: packet 1 was written although it must not be");
}

TEST_CASE("packets to other regions are not compared", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 1}, false, PacketKind::kOnly, 1);
  rig.acknowledge(0);
  CHECK(rig.model.ranges().empty());
  CHECK(rig.model.packets() == 1);
}

TEST_CASE("ranges cover each packet with a margin, and are merged", "[memory]") {
  Rig rig;
  rig.send(0, 1000, Bytes(10, 1));
  rig.send(1, 100, Bytes(10, 1));
  rig.send(2, 110 + 2 * kMargin, Bytes(10, 1));
  rig.send(3, 20, Bytes(10, 1));
  const auto ranges = rig.model.ranges();
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].offset == 0);
  CHECK(ranges[0].length == 110 + 2 * kMargin + 10 + kMargin);
  CHECK(ranges[1].offset == 1000 - kMargin);
  CHECK(ranges[1].length == 10 + 2 * kMargin);
}

TEST_CASE("a packet that leaves the region changes none of its bytes", "[memory]") {
  Rig rig;
  rig.send(0, kSize - 2, {1, 2, 3, 4});
  rig.acknowledge(0);
  CHECK(rig.wrong() == "");
  CHECK(rig.wrong(kind(Kind::kAll)) == "");
  rig.write(kSize - 2, {1, 2});
  CHECK(rig.wrong() == "4094: packet 1 was written although it must not be");
}

TEST_CASE("a packet behind the region is compared with the end of the region", "[memory]") {
  Rig rig;
  rig.send(0, kSize, {1, 2, 3, 4});
  rig.send(1, kSize + 100'000, {1, 2, 3, 4});
  const auto ranges = rig.model.ranges();
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].offset == kSize - kMargin);
  CHECK(ranges[0].length == kMargin);
}

TEST_CASE("a packet that begins before the region is compared with the beginning of the region", "[memory]") {
  Rig rig;
  rig.send(0, ~std::uint64_t{1}, {1, 2, 3, 4});  // two bytes before the region and two inside
  const auto ranges = rig.model.ranges();
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].offset == 0);
  CHECK(ranges[0].length == 2 + kMargin);
  CHECK(rig.wrong() == "");
  rig.write(0, {3, 4});
  CHECK(rig.wrong() == "0: packet 1 was written although it must not be");
  Rig before;
  before.send(0, ~std::uint64_t{999}, {1, 2, 3, 4});
  REQUIRE(before.model.ranges().size() == 1);
  CHECK(before.model.ranges()[0].offset == 0);
  CHECK(before.model.ranges()[0].length == kMargin);
}

TEST_CASE("a target that returns another number of bytes differs", "[memory]") {
  Rig rig;
  rig.send(0, 100, {1, 1});
  const MemoryModel::Range range = rig.model.ranges().front();
  for (const std::size_t size : {std::size_t{0}, range.length - 1, range.length + 1}) {
    std::vector<MemoryDifference> out;
    rig.model.compare(range, {}, Bytes(size, kGuard), out);
    REQUIRE(out.size() == 1);
    CHECK(out[0].text == "the target returned another number of bytes");
  }
}

TEST_CASE("at most 16 differences are kept", "[memory]") {
  Rig rig;
  rig.send(0, 100, Bytes(200, 1));
  rig.acknowledge(0);
  for (std::uint64_t k = 0; k < 200; k += 2) rig.write(100 + k, {1});
  CHECK(rig.differences().size() == 16);
}

TEST_CASE("queue pairs have PSNs of their own", "[memory]") {
  Rig rig;
  rig.model.open(1, 5);
  rig.send(0, 100, {1, 1});
  ScriptPacket other;
  other.psn = 5;
  other.offset = 200;
  other.payload = {2, 2};
  rig.model.sent(other, 1, false);
  rig.model.acknowledged(1, 5);
  CHECK(rig.wrong() == "200: packet 2 is not in memory");
}
