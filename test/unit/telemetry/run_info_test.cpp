// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/run_info.hpp"

#include "fabric/network.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::telemetry;

namespace {

struct NoFrames final : fabric::FrameStore {
  fabric::Frame* copy(const fabric::Frame& /*frame*/) override { return nullptr; }
  fabric::Frame* make(ByteSpan /*bytes*/) override { return nullptr; }
  bool corrupt(fabric::Frame& /*frame*/, std::uint64_t /*random*/) override { return false; }
  MutableByteSpan writable(fabric::Frame& /*frame*/) override { return {}; }
  void shorten(fabric::Frame& /*frame*/, std::uint32_t /*length*/) override {}
  void release(fabric::Frame* /*frame*/) override {}
};

}  // namespace

TEST_CASE("switch ports are described in the order of snapshots") {
  using Ref = fabric::NodeRef;
  const auto station = [](std::uint32_t i) { return Ref{Ref::Kind::kStation, i}; };
  const auto sw = [](std::uint32_t i) { return Ref{Ref::Kind::kSwitch, i}; };
  fabric::NetworkConfig n;
  n.switches.resize(2);
  for (auto& s : n.switches) s.buffer = 1'000'000;
  n.switches[0].name = "leaf";
  n.switches[1].name = "spine";
  n.stations = {{"a", {}}, {"b", {}}, {"c", {}}};
  n.links = {{sw(1), station(2), 1}, {station(0), sw(0), 2}, {sw(1), sw(0), 3}, {station(1), sw(0), 4}};
  RunInfo info;
  add_network(info, n, 0, 1);
  NoFrames frames;
  fabric::Network network(n, frames);
  fabric::NetworkSnapshot snapshot = network.make_snapshot();
  network.take_snapshot(snapshot, 0);
  REQUIRE(info.ports.size() == snapshot.ports.size());
  for (std::size_t p = 0; p < info.ports.size(); ++p) {
    const fabric::PortSnapshot& port = snapshot.ports[p];
    const bool peer_is_switch = port.peer.kind == Ref::Kind::kSwitch;
    CHECK(info.ports[p].switch_name == n.switches[port.switch_index].name);
    CHECK(info.ports[p].peer ==
          (peer_is_switch ? n.switches[port.peer.index].name : n.stations[port.peer.index].name));
    CHECK(info.ports[p].rate == port.rate);
    CHECK(info.ports[p].bottleneck == (info.ports[p].name == "spine.c"));
  }
}
