// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: tests an RSSI server or client whose peer may send anything at any time: raw bytes, headers with
// a valid checksum, and segments with matching numbers. The link must send valid segments and use bounded
// memory.
#include "input.hpp"
#include "srp/rssi_client.hpp"
#include "srp/rssi_server.hpp"

#include <array>
#include <memory>
#include <vector>

using namespace softfeb;
using namespace softfeb::srp;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint16_t kMaxSegment = 256;
constexpr std::size_t kTxQueue = 4;

UdpPeer peer(std::uint16_t port) { return {roce::IpAddress::from_v4(0xc0a80264), port}; }
const UdpPeer kPeer = peer(8192);
const UdpPeer kStranger = peer(1);

/// Checks everything that the link sends.
class Watcher : public DatagramSink {
 public:
  void send(const UdpPeer& to, ByteSpan datagram) override {
    require(to == kPeer || to == kStranger);
    ++sent;
    const auto s = rssi::parse(datagram);
    if (!s) {
      require(faults > 0 && datagram.size() > rssi::kHeaderSize);
      --faults;
      return;
    }
    require(s->payload.size() + (s->syn ? rssi::kSynSize : rssi::kHeaderSize) <= kMaxSegment);
    if (s->syn) {
      syn_sequence = s->header.sequence;
    } else if (watching && to == watched) {
      // Apart from the wrap after 255, acknowledge numbers never decrease.
      require(rssi::ahead(acknowledged, s->header.acknowledge) < 128);
      acknowledged = s->header.acknowledge;
    }
  }

  std::size_t sent = 0;
  unsigned faults = 0;
  std::uint8_t syn_sequence = 0;
  std::uint8_t acknowledged = 0;
  bool watching = false;
  UdpPeer watched;
};

/// A user of the link. The fuzzer's input decides whether the user accepts a segment, and whether the user
/// responds to it.
class User : public RssiUser {
 public:
  explicit User(Watcher& watcher) : watcher_(watcher) {}

  void on_open(Time) override {
    require(!open);
    open = true;
    const RssiParameters& p = link->status().negotiated;
    require(p.max_outstanding >= 1 && p.max_outstanding <= rssi::kMaxOutstanding);
    require(p.max_segment >= rssi::kMinSegment && p.max_segment <= kMaxSegment);
    require(p.retransmit_ms >= 5 && p.cumulative_ack_ms >= 1 && p.null_ms >= 30 &&
            p.max_retransmissions >= 2);
    require(link->room() == p.max_outstanding + kTxQueue);
    watcher_.watching = false;
  }
  void on_close(RssiClose, Time) override {
    require(open && !link->open());
    open = false;
    watcher_.watching = false;
  }
  bool on_segment(ByteSpan payload, Time now) override {
    require(open && !payload.empty());
    if (answering) link->send(payload.first(std::min(payload.size(), link->max_payload())), now);
    if (closing) link->close(now);
    return !refusing;
  }
  void on_room(Time) override { require(open && link->room() > 0); }

  RssiLink* link = nullptr;
  bool open = false, refusing = false, answering = false, closing = false;

 private:
  Watcher& watcher_;
};

class World {
 public:
  explicit World(bool client) : user_(watcher_) {
    if (client) {
      RssiClientConfig config{.tx_queue = kTxQueue};
      config.proposal.max_segment = kMaxSegment;
      client_ = std::make_unique<RssiClient>(config, kPeer, watcher_, user_);
      link_ = client_.get();
    } else {
      RssiServerConfig config{.max_segment_limit = kMaxSegment, .tx_queue = kTxQueue};
      config.local.max_segment = kMaxSegment;
      server_ = std::make_unique<RssiServer>(config, watcher_, user_);
      link_ = server_.get();
    }
    user_.link = link_;
    if (client_) client_->connect(now_);
  }

  void run(Input& in) {
    while (!in.empty()) {
      act(in.byte(), in);
      check();
    }
  }

 private:
  void act(std::uint8_t what, Input& in) {
    from_ = (what & 0x08) != 0 ? kStranger : kPeer;
    switch (what & 0x07) {
      case 0:
        return raw(in, false);
      case 1:
        return raw(in, true);
      case 2:
        return fitting(in);
      case 3:
        return pass(Time{in.byte()} * kMillisecond);
      case 4:
        return handshake(in);
      case 5:
        link_->send(std::vector<std::uint8_t>(in.byte()), now_);
        return;
      case 6:
        return mood(what >> 4);
      default:
        return seldom(what >> 4, in);
    }
  }

  void hear(ByteSpan datagram) {
    watcher_.sent = 0;
    link_->on_datagram(from_, datagram, now_);
    // One datagram may acknowledge a full window of the link's segments. It may also release a full window of
    // the peer's segments, each of which gets a response.
    require(watcher_.sent <= 4 * rssi::kMaxOutstanding + 4);
  }

  void raw(Input& in, bool seal) {
    const ByteSpan bytes = in.bytes(in.size(2048));
    std::vector<std::uint8_t> datagram(bytes.begin(), bytes.end());
    if (seal && datagram.size() >= rssi::kHeaderSize) {
      const bool syn = (datagram[0] & rssi::kSyn) != 0 && datagram.size() >= rssi::kSynSize;
      const std::size_t size = syn ? rssi::kSynSize : rssi::kHeaderSize;
      if (!syn) datagram[0] &= static_cast<std::uint8_t>(~rssi::kSyn);
      if (syn) datagram.resize(size);
      datagram[1] = static_cast<std::uint8_t>(size);
      store_be16(&datagram[size - 2], rssi::checksum(ByteSpan(datagram).first(size)));
    }
    hear(datagram);
  }

  /// Sends a segment that is similar to the one that the link expects next.
  void fitting(Input& in) {
    const RssiStatus& s = link_->status();
    const std::uint8_t flags = in.byte() & static_cast<std::uint8_t>(~rssi::kSyn);
    const auto sequence =
        static_cast<std::uint8_t>(s.rx_last_seq + 1 + static_cast<std::int8_t>(in.byte()) / 4);
    const auto ack = static_cast<std::uint8_t>(s.tx_last_ack + static_cast<std::int8_t>(in.byte()) / 4);
    const std::size_t size = (flags & (rssi::kRst | rssi::kNul)) == 0 ? in.byte() : 0;
    std::vector<std::uint8_t> datagram(rssi::kHeaderSize + size);
    rssi::encode({flags, sequence, ack}, datagram.data());
    hear(datagram);
  }

  /// Sends a SYN with arbitrary parameters.
  void handshake(Input& in) {
    rssi::Syn syn;
    std::array<std::uint8_t, 10> p{};
    const ByteSpan bytes = in.bytes(p.size());
    std::copy(bytes.begin(), bytes.end(), p.begin());
    syn.parameters = {p[0], load_be16(&p[1]), p[3], p[4], load_be16(&p[5]), p[7], p[8]};
    const std::uint8_t flags = client_ ? rssi::kSyn | rssi::kAck : rssi::kSyn;
    hear(rssi::encode_syn({flags, p[9], watcher_.syn_sequence}, syn));
    if (client_) return;
    std::array<std::uint8_t, rssi::kHeaderSize> ack;
    rssi::encode({rssi::kAck, static_cast<std::uint8_t>(p[9] + 1), watcher_.syn_sequence}, ack.data());
    hear(ack);
  }

  void pass(Time time) {
    const Time end = now_ + time;
    while (link_->deadline() <= end) {
      now_ = std::max(now_, link_->deadline());
      link_->on_timer(now_);
      require(link_->deadline() > now_);  // after a call, no timer may be overdue
    }
    now_ = end;
  }

  void mood(unsigned bits) {
    user_.refusing = (bits & 1) != 0;
    user_.answering = (bits & 2) != 0;
    user_.closing = (bits & 12) == 12;
    if (!user_.refusing) link_->resume(now_);
  }

  void seldom(unsigned which, Input& in) {
    if (which == 0) link_->close(now_);
    if (which == 1 && client_) client_->connect(now_);
    if (which == 2) {
      ++watcher_.faults;
      if (client_) client_->inject_fault();
      if (server_) server_->inject_fault();
    }
    if (which == 3 && server_)
      server_->set_local({in.byte(), static_cast<std::uint16_t>(in.size(65536)), 0, 0, 0, 0, 0});
  }

  void check() {
    const RssiStatus& s = link_->status();
    require(link_->open() == user_.open);
    require(link_->open() == (s.state == RssiState::kOpen));
    require(link_->room() <= rssi::kMaxOutstanding + kTxQueue);
    if (!link_->open() || watcher_.watching) return;
    watcher_.watched = s.peer;
    watcher_.acknowledged = s.rx_last_seq;
    watcher_.watching = true;
  }

  Watcher watcher_;
  User user_;
  std::unique_ptr<RssiServer> server_;
  std::unique_ptr<RssiClient> client_;
  RssiLink* link_ = nullptr;
  UdpPeer from_;
  Time now_ = kSecond;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  World world((in.byte() & 1) != 0);
  world.run(in);
  return 0;
}
