// SPDX-License-Identifier: BSD-3-Clause
#include "addresses.hpp"
#include "board/payload.hpp"
#include "dataplane/error.hpp"
#include "engine/board.hpp"
#include "latency.hpp"
#include "peers/peer.hpp"
#include "station.hpp"
#include "stopwatch.hpp"
#include "turns.hpp"

#include <algorithm>
#include <cstdio>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kWindow = 64;  // packets; a tap drops packets beyond a thousand
constexpr std::uint32_t kAckEvery = 16;
constexpr Time kGuestPatience = 10 * kSecond;

roce::MacAddress parse_mac(const std::string& text) {
  std::array<unsigned, 6> b{};
  char rest = 0;
  if (std::sscanf(text.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x%c", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
                  &rest) != 6)
    throw dataplane::RequestError("--mac " + text + " is no MAC address: write it as 02:00:00:00:00:01");
  roce::MacAddress mac{};
  for (std::size_t i = 0; i < mac.size(); ++i) mac[i] = static_cast<std::uint8_t>(b[i]);
  return mac;
}

roce::IpAddress parse_ip(const std::string& text) {
  const auto ip = roce::IpAddress::parse(text);
  if (!ip) throw dataplane::RequestError("--ip " + text + " is no address: write it as 10.77.0.100");
  return *ip;
}

/// One queue pair to the host for one path MTU and one size.
class GuestRun {
 public:
  /// `arena`: memory for the payload.
  GuestRun(const LatencyOptions& o, const GuestOptions& guest, std::uint32_t pmtu, std::uint32_t size,
           MutableByteSpan arena)
      : payload_(board::make_payload(
            {.kind = board::PayloadKind::kCounter, .message_length = size, .pmtu = pmtu})) {
    payload_->fill(arena);
    peers::LocalEndpoint local;
    local.ip = parse_ip(guest.ip);
    local.pmtu = pmtu;
    local.message_size = size;
    local.slots = 1;
    local.qps = {{kFirstQpn, 0}};
    session_ = peers::connect(peers::parse_peer_url(guest.sink), local);
    make_board(o, guest, local);
  }

  Json run(const dataplane::TscClock& clock, Time duration, Station& station) {
    station.seat(*board_);
    Stopwatch watch(board_->qp(0));
    session_->begin();
    const Time begin = read_clock(clock);
    board_->start(begin);
    station.port_queue().wake();
    const auto turn = [&](Time now) {
      station.port_queue().run(now);
      watch.look(now, [&clock] { return read_clock(clock); });
      return 0U;
    };
    turns_for(duration, clock, turn);
    board_->stop_traffic(read_clock(clock));
    station.port_queue().wake();
    while (!board_->finished() && read_clock(clock) - begin < duration + kGuestPatience)
      turns_for(kMillisecond, clock, turn);
    station.leave();
    return finish(watch, to_seconds(read_clock(clock) - begin));
  }

 private:
  void make_board(const LatencyOptions& o, const GuestOptions& guest, const peers::LocalEndpoint& local) {
    const peers::RemoteEndpoint& remote = session_->remote();
    engine::BoardConfig c;
    c.identity.mac = parse_mac(guest.mac);
    c.identity.ip = local.ip;
    engine::SendQpConfig qp;
    qp.requester.qpn = kFirstQpn;
    qp.requester.dest_qpn = remote.qps[0].qpn;
    qp.requester.pmtu = local.pmtu;
    qp.requester.send_queue_depth = qp.requester.window_requests = 1;
    qp.requester.window_packets = kWindow;
    qp.requester.ack_every = kAckEvery;
    qp.requester.timeout = 15;
    qp.requester.retry_count = 7;
    qp.path.source_mac = c.identity.mac;
    qp.path.source_ip = local.ip;
    qp.path.dest_ip = remote.ip;
    qp.peer_mac = remote.mac;
    qp.payload = payload_.get();
    qp.known_crc = o.known_crc;
    qp.traffic.plan = payload_->plan();
    qp.traffic.rkey = remote.qps[0].rkey;
    qp.traffic.remote_address = remote.qps[0].address;
    c.qps.push_back(qp);
    board_ = std::make_unique<engine::Board>(c);
  }

  Json finish(const Stopwatch& watch, double seconds) {
    const roce::RequesterCounters& c = board_->qp(0).requester().counters();
    peers::PeerResults results;
    results.complete = board_->finished() && c.messages_failed == 0;
    results.messages = c.messages_completed;
    results.payload_bytes = c.messages_completed * payload_->plan().message_length();
    results.seconds = seconds;
    session_->end(results);
    return {{"latency_us", distribution(watch.microseconds())},
            {"failed", c.messages_failed},
            {"retransmitted", c.retransmitted_packets}};
  }

  std::unique_ptr<board::PayloadSource> payload_;
  std::unique_ptr<peers::PeerSession> session_;
  std::unique_ptr<engine::Board> board_;
};

}  // namespace

Json bench_guest_latency(const Environment& environment, const LatencyOptions& o, const GuestOptions& guest) {
  Station::Ground ground(1U << 16);
  const MutableByteSpan arena = ground.arena.allocate(1U << 15);
  // The link is up from here on; some receivers require this before they create queue pairs.
  Station station(environment, ground, guest.device, *std::max_element(o.pmtus.begin(), o.pmtus.end()),
                  parse_mac(guest.mac));
  Json results = Json::array();
  for (const std::uint32_t pmtu : o.pmtus) {
    for (const std::uint32_t size : o.sizes) {
      std::vector<Json> runs;
      for (unsigned i = 0; i < o.runs; ++i) {
        GuestRun run(o, guest, pmtu, size, arena);
        runs.push_back(run.run(environment.clock(), o.duration, station));
      }
      Json entry{{"pmtu", pmtu}, {"message_bytes", size}};
      entry.update(summary(runs));
      results.push_back(std::move(entry));
    }
  }
  return {{"benchmark", "latency"}, {"port", guest.device},
          {"peer", guest.sink},     {"icrc", o.known_crc ? "known" : "full"},
          {"runs", o.runs},         {"duration_s", to_seconds(o.duration)},
          {"results", results},     {"machine", machine_facts(&environment)}};
}

}  // namespace softfeb::bench
