// SPDX-License-Identifier: BSD-3-Clause
#include "cc_replay.hpp"

#include "congestion/hpcc.hpp"
#include "congestion/swift.hpp"
#include "congestion/timely.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace softfeb::congestion;

namespace softfeb::test {

namespace {

using nlohmann::json;

constexpr std::uint32_t kPacket = 4108;  // bytes of a packet that congestion control counts

congestion::Nak nak_of(const json& event) {
  const auto& kind = event.at("kind").get_ref<const std::string&>();
  if (kind == "sequence") return Nak::kSequence;
  if (kind == "receiver_not_ready") return Nak::kReceiverNotReady;
  if (kind == "timeout") return Nak::kTimeout;
  throw std::runtime_error("unknown kind of NAK \"" + kind + "\"");
}

std::vector<IntRecord> records_of(const json& event) {
  std::vector<IntRecord> records;
  const auto hops = event.find("hops");
  if (hops == event.end() || !hops->is_array()) return records;
  for (const json& hop : *hops) {
    records.push_back(IntRecord::of(static_cast<std::uint64_t>(hop.at("rate").get<double>()), hop.at("at"),
                                    hop.at("tx_bytes"), hop.at("queue")));
  }
  return records;
}

/// Reads an acknowledgement. In HPCC traces, `hops` is a list of INT records. In Swift traces, `hops` is the
/// number of switches, and the event contains the number of packets in flight instead of packet numbers.
Ack ack_of(const json& event, const std::vector<IntRecord>& records) {
  Ack ack{.packets = event.value("packets", 0U),
          .acked = event.value("acked", std::uint64_t{0}),
          .sent = event.value("sent", std::uint64_t{0}),
          .remote_delay = event.value("remote_delay", Time{0}),
          .path = event.value("path", std::uint16_t{0}),
          .records = records};
  ack.bytes = std::uint64_t{ack.packets} * kPacket;
  if (event.contains("sent_at") && !event["sent_at"].is_null())
    ack.sent_at = static_cast<Time>(event["sent_at"].get<std::int64_t>());
  if (event.contains("hops") && event["hops"].is_number()) ack.hops = event["hops"];
  if (event.contains("in_flight")) {
    ack.acked = ack.packets;
    ack.sent = event["in_flight"];
  }
  return ack;
}

void play(CongestionControl& control, const json& event, Time now) {
  const auto& kind = event.at("event").get_ref<const std::string&>();
  if (kind == "start") {
    control.start(now);
  } else if (kind == "sent") {
    control.sent(kPacket, now);
  } else if (kind == "ack") {
    const auto records = records_of(event);
    control.ack(ack_of(event, records), now);
  } else if (kind == "nak") {
    control.nak(nak_of(event), now);
  } else if (kind == "cnp") {
    control.cnp(now);
  } else if (kind != "departure") {
    throw std::runtime_error("unknown event \"" + kind + "\"");
  }
}

/// Checks that window(), which the engine reads, agrees with state().window, which telemetry reads. Returns a
/// description of the difference.
std::optional<std::string> inconsistency(const CongestionControl& control, Time now) {
  const CongestionState state = control.state(now);
  if (!state.window) return std::nullopt;
  if (control.window() == static_cast<std::uint64_t>(std::ceil(std::max(1.0, *state.window)))) return {};
  return "window() is " + std::to_string(control.window()) + ", state().window " +
         std::to_string(*state.window);
}

/// Replays all events of a trace. After each event, `show` returns the values of the algorithm, which are
/// compared with those in the trace.
template <typename Algorithm, typename Show>
std::optional<std::string> replay(const CcFile& file, Algorithm& algorithm, Show&& show) {
  std::size_t number = 0;
  for (const json& event : file.document.at("events")) {
    const Time now = event.at("t");
    play(algorithm, event, now);
    auto difference = cc_difference(file, event, show(now));
    if (!difference) difference = inconsistency(algorithm, now);
    if (difference) return "event " + std::to_string(number) + ": " + *difference + "\n  " + event.dump();
    ++number;
  }
  return number == 0 ? std::optional<std::string>("no events") : std::nullopt;
}

}  // namespace

std::optional<std::string> replay_timely(const CcFile& file) {
  TimelyParameters p;
  bool patched = file.algorithm() == "patched_timely";
  CcParameters()
      .add("patched", patched)
      .add("line_rate", p.line_rate)
      .add("min_rate", p.min_rate)
      .add("initial_rate", p.initial_rate)
      .add("alpha", p.alpha)
      .add("beta", p.beta)
      .add("delta", p.delta)
      .add("t_low", p.t_low)
      .add("t_high", p.t_high)
      .add("min_rtt", p.min_rtt)
      .add("hai_events", p.hai_events)
      .add("hai_factor", p.hai_factor)
      .add("max_decrease", p.max_decrease)
      .add("rtt_offset", p.rtt_offset)
      .add("update_interval", p.update_interval)
      .add("idle_reset", p.idle_reset)
      .add("timeout_factor", p.timeout_factor)
      .add("rtt_ref", p.rtt_ref)
      .add("beta_patched", p.beta_patched)
      .read(file.document.at("parameters"));
  p.variant = patched ? TimelyVariant::kPatched : TimelyVariant::kTimely;
  Timely timely(p);
  return replay(file, timely, [&](Time) { return CcValues{{"rate", timely.rate()}}; });
}

std::optional<std::string> replay_swift(const CcFile& file) {
  SwiftParameters p;
  CcParameters()
      .add("packet", p.packet)
      .add("base_target", p.base_target)
      .add("hop_delay", p.hop_delay)
      .add("hops", p.hops)
      .add("fs_range", p.fs_range)
      .add("fs_min_cwnd", p.fs_min_cwnd)
      .add("fs_max_cwnd", p.fs_max_cwnd)
      .add("ai", p.ai)
      .add("beta", p.beta)
      .add("max_mdf", p.max_mdf)
      .add("min_cwnd", p.min_cwnd)
      .add("max_cwnd", p.max_cwnd)
      .add("initial_cwnd", p.initial_cwnd)
      .add("endpoint_target", p.endpoint_target)
      .add("endpoint_gain", p.endpoint_gain)
      .add("retx_reset_threshold", p.retx_reset_threshold)
      .add("limited_factor", p.limited_factor)
      .read(file.document.at("parameters"));
  Swift swift(p);
  return replay(file, swift, [&](Time now) {
    const auto at = static_cast<double>(std::max(now, swift.departure(kPacket, now)));
    return CcValues{{"cwnd", swift.cwnd()},
                    {"window", swift.state(now).window.value()},
                    {"pacing_delay", swift.pacing_delay()},
                    {"at", at}};
  });
}

std::optional<std::string> replay_hpcc(const CcFile& file) {
  HpccParameters p;
  CcParameters()
      .add("line_rate", p.line_rate)
      .add("base_rtt", p.base_rtt)
      .add("eta", p.eta)
      .add("max_stage", p.max_stage)
      .add("w_ai", p.w_ai)
      .add("min_rate", p.min_rate)
      .add("initial_u", p.initial_u)
      .add("stale_after", p.stale_after)
      .read(file.document.at("parameters"));
  Hpcc hpcc(p);
  return replay(file, hpcc, [&](Time now) {
    return CcValues{{"window", hpcc.state(now).window.value()}, {"rate", hpcc.rate()}};
  });
}

const std::map<std::string_view, CcReplay>& cc_replays() {
  static const std::map<std::string_view, CcReplay> replays = {
      {"timely", replay_timely},
      {"patched_timely", replay_timely},
      {"swift", replay_swift},
      {"hpcc", replay_hpcc},
  };
  return replays;
}

std::optional<std::string> replay_cc(const CcFile& file) {
  const auto replay = cc_replays().find(file.algorithm());
  if (replay == cc_replays().end()) throw std::runtime_error("unknown algorithm \"" + file.algorithm() + '"');
  return replay->second(file);
}

}  // namespace softfeb::test
