// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/network.hpp"
#include "roce/craft.hpp"
#include "roce/frame.hpp"
#include "roce/path.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::test {

using fabric::Frame;
using fabric::Network;
using fabric::NetworkConfig;
using fabric::NodeRef;

/// A frame store that makes at most `limit` frames. Frames do not share bytes.
class TestStore : public fabric::FrameStore {
 public:
  std::size_t limit = SIZE_MAX;
  std::size_t out = 0;  ///< number of frames that are in use, that is, not yet returned

  Frame* make(ByteSpan bytes) override {
    if (out >= limit) return nullptr;
    ++out;
    if (free_.empty()) {
      all_.emplace_back();
      free_.push_back(&all_.back());
    }
    Own* const own = free_.back();
    free_.pop_back();
    own->bytes.assign(bytes.begin(), bytes.end());
    point(*own);
    return own;
  }
  Frame* copy(const Frame& frame) override { return make(static_cast<const Own&>(frame).bytes); }
  bool corrupt(Frame& frame, std::uint64_t random) override {
    auto& bytes = static_cast<Own&>(frame).bytes;
    const std::size_t bit = random % ((bytes.size() - 14) * 8);
    bytes[14 + bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    return true;
  }
  MutableByteSpan writable(Frame& frame) override { return static_cast<Own&>(frame).bytes; }
  void shorten(Frame& frame, std::uint32_t length) override {
    auto& own = static_cast<Own&>(frame);
    own.bytes.resize(length);
    point(own);
  }
  void release(Frame* frame) override {
    --out;
    free_.push_back(static_cast<Own*>(frame));
  }
  static const std::vector<std::uint8_t>& bytes(const Frame& frame) {
    return static_cast<const Own&>(frame).bytes;
  }

 private:
  struct Own : Frame {
    std::vector<std::uint8_t> bytes;
  };

  static void point(Own& own) {
    own.header = own.bytes.data();
    own.header_length = static_cast<std::uint16_t>(std::min<std::size_t>(own.bytes.size(), 160));
    own.length = static_cast<std::uint32_t>(own.bytes.size());
  }

  std::deque<Own> all_;
  std::vector<Own*> free_;
};

inline roce::MacAddress mac_of(std::uint32_t station) {
  return roce::mac_plus({0x02, 0, 0, 0, 0, 1}, station);
}
inline NodeRef station(std::uint32_t i) { return {NodeRef::Kind::kStation, i}; }
inline NodeRef switch_(std::uint32_t i) { return {NodeRef::Kind::kSwitch, i}; }

constexpr std::uint64_t k10G = 1'250'000'000;
constexpr Time kDelay = 500 * kNanosecond;

/// Returns a network with one switch and `stations` stations. Each link has a rate of 10 Gb/s and a delay of
/// 500 ns. Frames with DSCP 26 use queue 3, and all others use queue 0.
inline NetworkConfig star(std::uint32_t stations) {
  NetworkConfig config;
  fabric::SwitchConfig sw;
  sw.name = "tor";
  sw.buffer = 1 << 20;
  sw.dscp_to_queue[26] = 3;
  sw.pause = {500'000, 250'000, 0};
  config.switches.push_back(sw);
  for (std::uint32_t i = 0; i < stations; ++i) {
    config.stations.push_back({"s" + std::to_string(i), mac_of(i)});
    fabric::LinkConfig link;
    link.a = station(i);
    link.b = switch_(0);
    link.rate = k10G;
    link.delay = kDelay;
    config.links.push_back(link);
  }
  return config;
}

struct DataFrame {
  std::uint32_t from = 0, to = 1;
  std::uint32_t payload = 1024;
  roce::Qpn qpn = 17;
  std::uint8_t dscp = 26;
  roce::Ecn ecn = roce::Ecn::kEct0;
  std::optional<roce::VlanTag> vlan;
  bool v6 = false;
};

inline roce::Path path_of(const DataFrame& f) {
  roce::Path path;
  path.source_mac = mac_of(f.from);
  path.dest_mac = mac_of(f.to);
  path.vlan = f.vlan;
  const auto base = *roce::IpAddress::parse(f.v6 ? "fd00::1" : "10.0.0.1");
  path.source_ip = base.plus(f.from);
  path.dest_ip = base.plus(f.to);
  path.dscp = f.dscp;
  path.ecn = f.ecn;
  return path;
}

/// Returns a WRITE Middle with a valid iCRC.
inline std::vector<std::uint8_t> data_bytes(const DataFrame& f) {
  std::array<std::uint8_t, 160> header{};
  std::array<std::uint8_t, 8> trailer{};
  const std::vector<std::uint8_t> payload(f.payload, 0x5a);
  roce::RequestPacket p;
  p.opcode = roce::opcode(roce::Transport::kRc, roce::Operation::kWriteMiddle);
  p.payload_length = f.payload;
  const auto c = roce::craft_request(roce::HeaderTemplate(path_of(f)), p, f.qpn, roce::kDefaultPkey, 1,
                                     payload.data(), std::nullopt, header.data(), trailer.data());
  std::vector<std::uint8_t> out(header.begin(), header.begin() + c.header_length);
  out.insert(out.end(), payload.begin(), payload.end());
  out.insert(out.end(), trailer.begin(), trailer.begin() + c.trailer_length);
  return out;
}

inline std::vector<std::uint8_t> ack_bytes(const DataFrame& f) {
  std::array<std::uint8_t, 160> header{};
  std::array<std::uint8_t, 8> trailer{};
  const auto c = roce::craft_acknowledge(roce::HeaderTemplate(path_of(f)), {}, 5, f.qpn, roce::kDefaultPkey,
                                         1, header.data(), trailer.data());
  std::vector<std::uint8_t> out(header.begin(), header.begin() + c.header_length);
  out.insert(out.end(), trailer.begin(), trailer.begin() + c.trailer_length);
  return out;
}

/// A network, its frames, and its output.
struct Bench {
  explicit Bench(const NetworkConfig& config) : network(config, store), snapshot(network.make_snapshot()) {}

  struct Arrival {
    std::uint32_t station = 0;
    Time at = 0;
    std::vector<std::uint8_t> bytes;
    roce::ParsedFrame parsed() const { return roce::parse_frame(ByteSpan(bytes)); }
  };

  void send(std::uint32_t from, const std::vector<std::uint8_t>& bytes, Time now) {
    network.send(from, store.make(bytes), now);
  }
  void send(const DataFrame& f, Time now) { send(f.from, data_bytes(f), now); }

  void run(Time until) {
    std::array<Network::Delivery, 4> out;
    for (;;) {
      const std::size_t n = network.run(until, out);
      for (std::size_t i = 0; i < n; ++i) {
        arrivals.push_back({out[i].station, out[i].at, TestStore::bytes(*out[i].frame)});
        store.release(out[i].frame);
      }
      if (n < out.size()) return;
    }
  }
  const fabric::NetworkSnapshot& look(Time now) {
    network.take_snapshot(snapshot, now);
    return snapshot;
  }
  /// Checks that the counters account for every frame.
  bool conserved(Time now) {
    const auto& t = look(now).totals;
    return t.entered + t.made + t.duplicated == t.delivered + t.consumed + t.dropped_buffer +
                                                    t.dropped_fault + t.dropped_unknown + t.dropped_rules +
                                                    t.dropped_store + t.in_network;
  }
  std::vector<Arrival> at_station(std::uint32_t station) const {
    std::vector<Arrival> found;
    std::copy_if(arrivals.begin(), arrivals.end(), std::back_inserter(found),
                 [&](const Arrival& a) { return a.station == station; });
    return found;
  }

  TestStore store;
  Network network;
  fabric::NetworkSnapshot snapshot;
  std::vector<Arrival> arrivals;
};

}  // namespace softfeb::test
