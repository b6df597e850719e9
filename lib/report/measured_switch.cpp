// SPDX-License-Identifier: BSD-3-Clause
#include "report/measured_switch.hpp"

#include <algorithm>
#include <cctype>

namespace softfeb::report {

namespace {

using fabric::PauseMode;
using switchtest::Figure;

PauseMode pause_mode(const std::string& word) {
  if (word == "802.3x") return PauseMode::kPause;
  return word == "PFC" ? PauseMode::kPfc : PauseMode::kOff;
}

/// Sets the flow control of each link: for the link of port D, the kind of pauses that the switch obeys; for
/// all other links, the kind of pauses that the switch sends to port A.
void add_flow_control(const FigureIndex& figures, fabric::NetworkConfig& network) {
  const switchtest::Roles& roles = figures.report().settings.roles;
  const PauseMode sends = pause_mode(figures.word("preflight", "sends_pauses")),
                  obeys = pause_mode(figures.word("preflight", "obeys_pauses"));
  for (auto& link : network.links) link.flow_control = sends;
  network.links[roles.d].flow_control = obeys;
}

/// Completes the settings of pauses. A link with flow control needs a threshold, and a link with PFC also
/// needs a lossless queue, even if the switch never sent a pause in the tests.
void complete_pauses(const FigureIndex& figures, const fabric::NetworkConfig& network, MeasuredSwitch& of) {
  constexpr std::uint64_t kKibi = 1024;
  const auto any = [&](PauseMode mode) {
    return std::any_of(network.links.begin(), network.links.end(),
                       [&](const auto& l) { return l.flow_control == mode; });
  };
  const bool pfc = any(PauseMode::kPfc);
  if (!pfc && !any(PauseMode::kPause)) return;
  auto& queues = of.config.queues;
  if (!of.config.pause.given()) {
    of.config.pause.xoff = (of.config.buffer - 1) / kKibi * kKibi;
    of.config.pause.xon = of.config.pause.xoff / 2;
    of.notes["pause.xoff"] = pause_mode(figures.word("preflight", "sends_pauses")) == PauseMode::kOff
                                 ? "out of reach: the switch obeys pauses, but it was not seen to send any"
                                 : "out of reach: the switch sends pauses, but its threshold is not known";
  }
  if (!pfc || std::any_of(queues.begin(), queues.end(), [](const auto& q) { return q.lossless; })) return;
  std::size_t unused = fabric::kQueues - 1;
  const auto used = [&](std::size_t q) {
    const auto& map = of.config.dscp_to_queue;
    return std::find(map.begin(), map.end(), q) != map.end();
  };
  while (unused != 0 && used(unused)) --unused;
  queues[unused].lossless = true;
  of.notes["queues." + std::to_string(unused) + ".lossless"] = "PFC needs a class that it may pause";
}

/// Sets the delays of the links. The tests observe only the sum of these delays and the delay of the switch.
void add_delays(const FigureIndex& figures, std::optional<Time> cable, MeasuredNetwork& out) {
  const Figure* const fixed = figures.measured("latency", "fixed_ns");
  if (fixed == nullptr) {
    out.of.unknown_key("delay of links", figures.why_not("latency", "fixed_ns"));
    if (cable)
      for (auto& link : out.network.links) link.delay = *cable;
    return;
  }
  WholeRange sum = range_of(*fixed, kNanosecond);
  if (out.of.config.times.cut_through) {
    // The simulated switch begins to send when it has received the header, so its delay includes the time of
    // the header. Subtract this time from the delays of links and switch.
    const Time header =
        fabric::SwitchTimes::kHeader * kSecond / out.network.links[figures.report().settings.roles.a].rate;
    sum = {sum.low - std::min(sum.low, header), sum.high - std::min(sum.high, header)};
  }
  const Time both = roundest_decimal(sum);
  const Time delay = cable.value_or(both / 2);
  if (cable && sum.high > 2 * delay) {
    const WholeRange rest{sum.low - std::min(sum.low, 2 * delay), sum.high - 2 * delay};
    out.of.config.times.pipeline = std::min<Time>(roundest_decimal(rest), fabric::SwitchTimes::kMax);
    if (out.of.config.times.pipeline != 0)
      out.of.notes["pipeline"] = interval_note("latency", *fixed) + " with both cables";
  }
  for (auto& link : out.network.links) link.delay = std::min<Time>(delay, kSecond);
  if (!cable)
    out.network.links[figures.report().settings.roles.d].delay = std::min<Time>(both - delay, kSecond);
  out.delay_note = interval_note("latency", *fixed) + " from A to D: " +
                   (cable ? "both cables and `pipeline`" : "both links, with the switch's own delay in them");
}

void add_multipath(const FigureIndex& figures, MeasuredSwitch& out) {
  const std::string fields = figures.word("ecmp", "fields");
  if (!fields.empty())
    out.unknown_key("multipath",
                    "ecmp: hash of " + fields + "; one switch with one link to each port has one path");
}

/// Returns `name`, changed if a port already has this name.
std::string free_name(std::string name, const switchtest::SwitchReport& report) {
  const auto taken = [&](const switchtest::RigPort& p) { return p.name == name; };
  while (std::any_of(report.ports.begin(), report.ports.end(), taken)) name += "-switch";
  return name;
}

}  // namespace

std::string switch_identifier(const std::string& device) {
  std::string out;
  for (const char c : device) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (plain) out += c;
    if (!plain && !out.empty() && out.back() != '-') out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  if (out.empty()) return "measured";
  return std::isalpha(static_cast<unsigned char>(out.front())) != 0 ? out : "switch-" + out;
}

MeasuredNetwork measured_network(const switchtest::SwitchReport& report, const std::string& name,
                                 std::optional<Time> cable) {
  const FigureIndex figures(report);
  MeasuredNetwork out;
  out.of.config.name = free_name(name, report);
  for (std::uint32_t i = 0; i < report.ports.size(); ++i) {
    out.network.stations.push_back({.name = report.ports[i].name});
    out.network.links.push_back({.a = {fabric::NodeRef::Kind::kStation, i},
                                 .b = {fabric::NodeRef::Kind::kSwitch, 0},
                                 .rate = report.ports[i].rate});
  }
  add_queues(figures, out.of);
  add_scheduler(figures, out.of);
  add_mtu(figures, out.of);
  add_memory(figures, out.of);
  add_pauses(figures, out.of);
  add_marking(figures, out.of);
  add_times(figures, out.of);
  add_multipath(figures, out.of);
  add_delays(figures, cable, out);
  add_flow_control(figures, out.network);
  complete_pauses(figures, out.network, out.of);
  out.network.switches.push_back(out.of.config);
  return out;
}

}  // namespace softfeb::report
