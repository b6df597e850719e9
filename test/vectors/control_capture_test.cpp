// SPDX-License-Identifier: BSD-3-Clause
// Reads every capture of $SOFTFEB_VECTORS/control. The RSSI parser must accept everything that the real
// client and its servers sent, and the packetizer's parser must accept the client's packets.
#include "control_capture.hpp"

#include "../support/vector_files.hpp"

#include <fstream>

#include <unistd.h>

using namespace softfeb;
using namespace softfeb::test;

namespace {

void check_refused(const std::vector<std::uint8_t>& contents) {
  const auto path =
      std::filesystem::temp_directory_path() / ("softfeb-no-capture-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
  CHECK_THROWS_AS(read_pcap(path), std::runtime_error);
  std::filesystem::remove(path);
}

}  // namespace

TEST_CASE("control captures: every segment is valid, every message complete", "[control]") {
  for (const auto& path : vector_files("control", ".pcap")) {
    for (const CapturedConnection& c : control_captures(path)) {
      DYNAMIC_SECTION(c.capture << ", port " << c.server.port) {
        MessageCollector client;
        std::uint8_t next = 0;
        for (const CapturedSegment& s : c.segments) {
          const auto segment = s.parsed();
          if (!s.from_client || segment.bare()) continue;
          if (segment.syn) next = segment.header.sequence;
          if (segment.header.sequence != next)
            continue;  // the packet is repeated, out of order, or follows a gap in the capture
          ++next;
          if (!segment.payload.empty()) CHECK_NOTHROW(client.push(segment.payload));
        }
        CHECK(c.segments.size() > 4);
        CHECK(c.segments.front().parsed().syn);
        if (c.server.port == 8192) CHECK(client.messages().size() > 20);
      }
    }
  }
}

TEST_CASE("control captures: other files are refused", "[control]") {
  CHECK_THROWS_AS(read_pcap("/nonexistent.pcap"), std::runtime_error);
  check_refused({});
  check_refused(std::vector<std::uint8_t>(64, 'x'));
}
