// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks.hpp"
#include "board/payload.hpp"
#include "dataplane/error.hpp"
#include "endpoints.hpp"
#include "engine/send_qp.hpp"
#include "loop_rig.hpp"
#include "measurement.hpp"
#include "peers/peer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <vector>

namespace softfeb::bench {

namespace {

/// Measures the latency of a queue pair's messages from posting to completion.
class Stopwatch {
 public:
  explicit Stopwatch(const engine::SendQp& qp) : qp_(qp) {}

  /// Call after each loop iteration. `now` is the time at which the iteration began; `end` returns the time
  /// at which it ended.
  template <typename End>
  void look(Time now, End&& end) {
    for (; posted_ < qp_.messages_made(); ++posted_) begun_.push_back(now);
    if (qp_.counters().completions == completed_) return;
    const Time at = end();
    for (; completed_ < qp_.counters().completions; ++completed_) {
      us_.push_back(to_seconds(at - begun_.front()) * 1e6);
      begun_.pop_front();
    }
  }
  const std::vector<double>& microseconds() const { return us_; }

 private:
  const engine::SendQp& qp_;
  std::deque<Time> begun_;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  std::vector<double> us_;
};

// Time limit for the first message to complete. The limit is long enough for machines on which other
// processes use the two cores of the benchmark.
constexpr Time kPatience = 2 * kSecond;

CraftOptions one_qp(const LatencyOptions& o, std::uint32_t pmtu, std::uint32_t size) {
  CraftOptions c;
  c.pmtu = pmtu;
  c.known_crc = o.known_crc;
  c.message = size;
  c.qps = 1;
  c.send_queue = 1;  // a message is posted only when the previous one has completed
  c.algorithm = "none";
  return c;
}

Json run_latency(const Environment& environment, const LatencyOptions& o, std::uint32_t pmtu,
                 std::uint32_t size) {
  LoopRig rig(environment, one_qp(o, pmtu, size));
  const dataplane::TscClock& clock = environment.clock();
  Stopwatch watch(rig.board().qp(0));
  rig.launch_receiver();
  rig.board().start(read_clock(clock));
  rig.port_queue().wake();
  const Time begin = read_clock(clock);
  do {
    turns_for(o.duration, clock, [&](Time now) {
      rig.port_queue().run(now);
      watch.look(now, [&clock] { return read_clock(clock); });
      return 0U;
    });
  } while (watch.microseconds().empty() && read_clock(clock) - begin < kPatience);
  rig.join_receiver();
  const CheckingReceiver::Totals got = rig.receiver().totals();
  return {{"latency_us", distribution(watch.microseconds())},
          {"bytes_wrong", got.bytes_wrong + got.icrc_errors + got.refused},
          {"retransmitted", totals_of(rig.board()).retransmitted}};
}

}  // namespace

Json bench_latency(const Environment& environment, const LatencyOptions& o) {
  Json results = Json::array();
  for (const std::uint32_t pmtu : o.pmtus) {
    for (const std::uint32_t size : o.sizes) {
      std::vector<Json> runs;
      for (unsigned i = 0; i < o.runs; ++i) runs.push_back(run_latency(environment, o, pmtu, size));
      Json entry{{"pmtu", pmtu}, {"message_bytes", size}};
      entry.update(summary(runs));
      results.push_back(std::move(entry));
    }
  }
  return {{"benchmark", "latency"},
          {"port", "net_ring"},
          {"icrc", o.known_crc ? "known" : "full"},
          {"runs", o.runs},
          {"duration_s", to_seconds(o.duration)},
          {"results", results},
          {"machine", machine_facts(&environment)}};
}

namespace {

// Maximum number of packets in flight. A tap interface drops packets if more than a thousand are queued.
constexpr std::uint32_t kWindow = 64;
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

/// Measures one queue pair to the host with one path MTU and one message size.
class GuestRun {
 public:
  /// `arena` is the memory for the payload.
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

  Json run(const dataplane::TscClock& clock, Time duration, test::RigPort& port) {
    port.clear();
    port.add(*board_);
    const auto port_queue = port.make_queue();
    Stopwatch watch(board_->qp(0));
    session_->begin();
    const Time begin = read_clock(clock);
    board_->start(begin);
    port_queue->wake();
    const auto turn = [&](Time now) {
      port_queue->run(now);
      watch.look(now, [&clock] { return read_clock(clock); });
      return 0U;
    };
    turns_for(duration, clock, turn);
    board_->stop_traffic(read_clock(clock));
    port_queue->wake();
    while (!board_->finished() && read_clock(clock) - begin < duration + kGuestPatience)
      turns_for(kMillisecond, clock, turn);
    return finish(watch, to_seconds(read_clock(clock) - begin));
  }

 private:
  void make_board(const LatencyOptions& o, const GuestOptions& guest, const peers::LocalEndpoint& local) {
    const peers::RemoteEndpoint& remote = session_->remote();
    engine::Identity ours;
    ours.mac = parse_mac(guest.mac);
    ours.ip = local.ip;
    engine::Identity host;
    host.ip = remote.ip;
    test::BoardBuilder builder(ours);
    engine::SendQpConfig& qp = builder.qp(host, *payload_, local.pmtu);
    qp.requester.qpn = kFirstQpn;
    qp.requester.dest_qpn = remote.qps[0].qpn;
    qp.requester.send_queue_depth = qp.requester.window_requests = 1;
    qp.requester.window_packets = kWindow;
    qp.requester.ack_every = kAckEvery;
    qp.requester.timeout = 15;
    qp.requester.retry_count = 7;
    qp.peer_mac = remote.mac;
    qp.known_crc = o.known_crc;
    qp.traffic.rkey = remote.qps[0].rkey;
    qp.traffic.remote_address = remote.qps[0].address;
    board_ = builder.build();
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
  test::DpdkRig rig;
  const MutableByteSpan arena = rig.arena.allocate(1U << 15);
  // Bring the link up first, because some receivers require this before they create queue pairs.
  test::RigPort port(rig,
                     short_ring(environment, guest.device, *std::max_element(o.pmtus.begin(), o.pmtus.end()),
                                parse_mac(guest.mac)));
  Json results = Json::array();
  for (const std::uint32_t pmtu : o.pmtus) {
    for (const std::uint32_t size : o.sizes) {
      std::vector<Json> runs;
      for (unsigned i = 0; i < o.runs; ++i) {
        GuestRun run(o, guest, pmtu, size, arena);
        runs.push_back(run.run(environment.clock(), o.duration, port));
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
