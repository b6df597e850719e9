// SPDX-License-Identifier: BSD-3-Clause
// Sends golden congestion control headers (cc/wire_*.json) through a switch. Compares the resulting header
// with that of the reference model's add_hop(), which is repeated here in its simplest form.
#include "cc_file.hpp"
#include "support/cch_frame.hpp"
#include "support/vector_files.hpp"
#include "unit/fabric/fabric_fixture.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using nlohmann::json;

namespace {

using CchBytes = std::vector<std::uint8_t>;

constexpr std::uint16_t kSwitchId = 0x2211;

/// Returns the INT record that a 10 Gb/s port inserts into its first frame. The port has sent no bytes before
/// this frame, and no bytes are queued behind it.
std::uint64_t first_record(std::size_t frame_bytes) {
  const std::uint64_t wire = std::max<std::uint64_t>(frame_bytes + 4, 64) + 20;
  constexpr Time kByte = kSecond / k10G;
  const std::uint64_t ns = (wire * kByte + kDelay) / kNanosecond;
  return std::uint64_t{3} << 60 | ns << 36;
}

/// Adds a record to a header in the same way as add_hop() in reference/wire.py.
CchBytes model_hop(CchBytes h, std::uint64_t record) {
  const std::uint8_t hops = h[3];
  if (h[1] == 2 && hops < 5) store_be64(&h[8 + std::size_t{8} * hops], record);
  if (h[1] == 2 && hops >= 5) h[0] |= 2;
  h[3] = static_cast<std::uint8_t>(std::min(255, hops + 1));
  store_be16(&h[6], static_cast<std::uint16_t>(load_be16(&h[6]) ^ kSwitchId));
  store_be16(&h[4], 0);
  store_be16(&h[4], roce::internet_checksum(h));
  return h;
}

/// Returns a network of two stations with the addresses of this frame, and a switch with INT between them.
NetworkConfig between(const CchBytes& frame) {
  auto config = star(2);
  std::copy_n(frame.begin() + 6, 6, config.stations[0].mac->begin());
  std::copy_n(frame.begin(), 6, config.stations[1].mac->begin());
  config.switches[0].int_on = true;
  config.switches[0].int_id = kSwitchId;
  return config;
}

/// Sends a frame through the switch and compares the frame's header afterwards with `header`, the description
/// in the golden file. If `header` is null, the switch must reject the header of the frame.
void check_passage(const json& header, const CchBytes& frame) {
  Bench b(between(frame));
  b.send(0, frame, 0);
  b.run(kMillisecond);
  REQUIRE(b.arrivals.size() == 1);
  const auto& port = b.look(kMillisecond).ports[1];
  const std::size_t at = udp_place(frame).content;
  CchBytes wanted = frame;
  const bool ours = load_be16(&frame[at - 6]) == roce::kCongestionUdpPort;
  const bool forward = !header.is_null() && (header.at("flags").get<unsigned>() & 12U) == 0;
  if (forward) {
    const auto begin = wanted.begin() + static_cast<std::ptrdiff_t>(at);
    const CchBytes hop = model_hop(CchBytes(begin, begin + header.at("size").get<std::ptrdiff_t>()),
                                   first_record(frame.size()));
    std::copy(hop.begin(), hop.end(), begin);
  }
  CHECK(b.arrivals[0].bytes == wanted);
  CHECK(port.cch_hops == (forward ? 1 : 0));
  CHECK(port.cch_invalid == (ours && header.is_null() ? 1 : 0));
}

}  // namespace

TEST_CASE("golden congestion control headers through a switch", "[cc_wire]") {
  unsigned updated = 0, passed = 0;
  for (const auto& path : cc_files(CcKind::kWire)) {
    const json cases = read_cc_file(path).document.at("cases");
    const CchBytes plain = data_bytes({0, 1});
    for (const json& wanted : cases) {
      INFO(path.string() << ": " << wanted.at("name").get<std::string>());
      const json& header = wanted.at("header");
      if (wanted.contains("frame")) {
        check_passage(header, from_hex(wanted.at("frame").get<std::string>()));
      } else {
        check_passage(header, with_cch(plain, from_hex(wanted.at("cch").get<std::string>())));
      }
      ++(header.is_null() || (header.at("flags").get<unsigned>() & 12U) != 0 ? passed : updated);
    }
  }
  if (!vectors_are_ours()) return;
  CHECK(updated >= 5);
  CHECK(passed >= 5);
}
