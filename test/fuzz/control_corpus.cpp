// SPDX-License-Identifier: BSD-3-Clause
// Writes the contents of slow-control captures as seeds for the fuzzers.
//   control_corpus DIRECTORY CAPTURE…
#include "control_capture.hpp"
#include "srp/packetizer.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

using namespace softfeb;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t kSeedSize = 8192;

/// Appends a record to a seed: the size of `bytes`, then `how` (the parameters of the fuzz target, if it has
/// any), and then `bytes`.
void put(Bytes& seed, ByteSpan bytes, std::optional<std::uint8_t> how = std::nullopt) {
  seed.push_back(static_cast<std::uint8_t>(bytes.size()));
  seed.push_back(static_cast<std::uint8_t>(bytes.size() >> 8));
  if (how) seed.push_back(*how);
  seed.insert(seed.end(), bytes.begin(), bytes.end());
}

class Corpus {
 public:
  explicit Corpus(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Adds seeds for fuzz_rssi from the datagrams of one direction, as a server or a client received them.
  /// Writes two seeds. The first contains the datagrams as raw bytes. The second instructs fuzz_rssi to build
  /// similar segments, with sequence numbers that fit the link under test.
  void add_rssi(const test::CapturedConnection& c, bool from_client) {
    Bytes raw{static_cast<std::uint8_t>(from_client ? 0 : 1)};
    Bytes moves = raw;
    for (const test::CapturedSegment& s : c.segments) {
      if (s.from_client != from_client || s.bytes.size() >= 2048 || raw.size() > kSeedSize) continue;
      raw.insert(raw.end(), {0x03, 1, 0x00});  // 1 ms passes, then a raw datagram arrives
      put(raw, s.bytes);
      moves.insert(moves.end(), {0x03, 1});
      const srp::rssi::Segment segment = s.parsed();
      const auto size = static_cast<std::uint8_t>(std::min<std::size_t>(segment.payload.size(), 240));
      if (segment.syn)
        moves.insert(moves.end(), {0x04, 32, 1, 0, 20, 5, 3, 232, 15, 2, segment.header.sequence});
      else
        moves.insert(moves.end(), {0x02, segment.header.flags, 0, 0, size});
    }
    write("rssi", raw);
    write("rssi", moves);
  }
  /// Adds seeds for fuzz_packetizer, which contain the packets of one direction with their CRCs.
  void add_packets(const test::CapturedConnection& c, bool from_client) {
    Bytes seed;
    for (const test::CapturedSegment& s : c.segments) {
      const ByteSpan packet = s.parsed().payload;
      if (s.from_client != from_client || packet.empty() || packet.size() >= 2048 || seed.size() > kSeedSize)
        continue;
      put(seed, packet, 2);
    }
    write("packetizer", seed);
  }
  /// Adds two seeds for fuzz_srp: the client's unchanged packets, and the messages in these packets.
  void add_requests(const test::CapturedConnection& c) {
    Bytes packets{0};
    Bytes messages{1};
    srp::Depacketizer depacketizer(kSeedSize);
    for (const test::CapturedSegment& s : c.segments) {
      const ByteSpan packet = s.parsed().payload;
      if (!s.from_client || packet.empty() || packets.size() > kSeedSize) continue;
      put(packets, packet, 0);
      if (depacketizer.push(packet) == srp::Depacketizer::Result::kFrame)
        put(messages, depacketizer.frame(), 4);
    }
    write("srp", packets);
    write("srp", messages);
  }
  /// Adds seeds for fuzz_registers: the accesses of a client.
  void add_accesses(const test::CapturedConnection& c) {
    constexpr std::size_t kHeader = 20;
    Bytes seed;
    srp::Depacketizer depacketizer(kSeedSize);
    for (const test::CapturedSegment& s : c.segments) {
      const ByteSpan packet = s.parsed().payload;
      if (!s.from_client || packet.empty() || seed.size() > kSeedSize / 2) continue;
      if (depacketizer.push(packet) != srp::Depacketizer::Result::kFrame) continue;
      const ByteSpan message = depacketizer.frame();
      if (message.size() < kHeader) continue;
      const bool writes = message.size() > kHeader;
      const std::uint32_t words = (load_le32(&message[16]) + 1) / 4;
      seed.push_back(writes ? 1 : 0);
      for (const int byte : {11, 10, 9, 8}) seed.push_back(message[static_cast<std::size_t>(byte)]);
      seed.push_back(static_cast<std::uint8_t>(std::min(words, 255U)));
      if (writes && words < 256) seed.insert(seed.end(), message.begin() + kHeader, message.end());
    }
    write("registers", seed);
  }

 private:
  void write(const std::string& target, const Bytes& seed) {
    std::filesystem::create_directories(directory_ / target);
    std::ofstream file(directory_ / target / ("capture" + std::to_string(count_++)), std::ios::binary);
    file.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
  }

  std::filesystem::path directory_;
  unsigned count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: control_corpus DIRECTORY CAPTURE...\n");
    return 2;
  }
  try {
    Corpus corpus(argv[1]);
    for (int i = 2; i < argc; ++i) {
      for (const test::CapturedConnection& connection : test::control_captures(argv[i])) {
        for (const bool from_client : {true, false}) {
          corpus.add_rssi(connection, from_client);
          corpus.add_packets(connection, from_client);
        }
        corpus.add_requests(connection);
        corpus.add_accesses(connection);
      }
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "control_corpus: %s\n", e.what());
    return 1;
  }
  return 0;
}
