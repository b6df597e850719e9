// SPDX-License-Identifier: BSD-3-Clause
#include "closed_forms.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace softfeb::test {

namespace {

constexpr std::uint32_t kLarge = 4170, kMarkProbe = 1022;  // bytes without FCS
constexpr double kAlphaUnit = 256;

std::uint64_t wire(std::uint32_t length) { return std::max<std::uint64_t>(length + 4, 64) + 20; }

double wire_ps(std::uint64_t bytes, std::uint64_t rate) {
  return static_cast<double>(bytes) * 1e12 / static_cast<double>(rate);
}

/// Collects the true values of one switch's figures.
class Truths {
 public:
  Truths(const fabric::NetworkConfig& network, const switchtest::Settings& settings)
      : network_(network),
        settings_(settings),
        dut_(network.switches[0]),
        in_(network.links[0]),
        out_(network.links[3]),
        queue_(dut_.dscp_to_queue[settings.dscp]) {}

  std::vector<Truth> all() {
    pauses();
    rates();
    memory();
    marking();
    pausing();
    headroom();
    bursts();
    scheduling();
    others();
    return truths_;
  }

 private:
  void value(const char* test, const char* figure, double v, Labels labels = {}, double slack = 0) {
    truths_.push_back({test, figure, std::move(labels), v, slack, {}, false});
  }
  void text(const char* test, const char* figure, std::string word) {
    truths_.push_back({test, figure, {}, {}, 0, std::move(word), false});
  }
  void absent(const char* test, const char* figure) {
    truths_.push_back({test, figure, {}, {}, 0, {}, true});
  }

  void pauses();
  void rates();
  void memory();
  void marking();
  void pausing();
  void headroom();
  void bursts();
  void scheduling();
  void others();
  bool pausable() const;

  const fabric::NetworkConfig& network_;
  const switchtest::Settings& settings_;
  const fabric::SwitchConfig& dut_;
  const fabric::LinkConfig &in_, &out_;
  std::uint8_t queue_;
  std::vector<Truth> truths_;
};

const char* kind_word(fabric::PauseMode mode) {
  switch (mode) {
    case fabric::PauseMode::kPause:
      return "802.3x";
    case fabric::PauseMode::kPfc:
      return "PFC";
    case fabric::PauseMode::kOff:
      break;
  }
  return "none";
}

/// Returns true if the switch may pause senders of frames with the settings' DSCP.
bool Truths::pausable() const {
  return in_.flow_control == fabric::PauseMode::kPause ||
         (in_.flow_control == fabric::PauseMode::kPfc && dut_.queues[queue_].lossless);
}

void Truths::pauses() {
  text("preflight", "obeys_pauses", kind_word(out_.flow_control));
  if (out_.flow_control == fabric::PauseMode::kOff) return;
  bool sends = false;
  for (std::uint8_t dscp = 0; dscp < 64 && !sends; ++dscp) sends = pauses_sender(network_, dscp, kLarge);
  text("preflight", "sends_pauses", kind_word(sends ? in_.flow_control : fabric::PauseMode::kOff));
}

void Truths::rates() {
  const std::uint64_t line = std::min(in_.rate, out_.rate);
  for (const std::uint32_t size : settings_.sizes) {
    const std::string text = std::to_string(size);
    for (const char* direction : {"one", "both"}) {
      const Labels labels{{"size", text}, {"direction", direction}};
      const double pps = static_cast<double>(line) / static_cast<double>(wire(size - 4));
      value("throughput", "load", 1, labels);
      value("throughput", "pps", pps, labels);
      value("throughput", "gbps", pps * 8 * size / 1e9, labels);
    }
    value("latency", "min", static_cast<double>(shortest_delay(network_, size - 4)) / kNanosecond,
          {{"size", text}});
  }
  absent("throughput", "loss_floor");
}

void Truths::memory() {
  if (out_.flow_control == fabric::PauseMode::kOff) return;
  if (pausable() && dut_.pause.headroom >= kLarge) return;  // headroom would be counted as well
  value("buffer", "queue_bytes", static_cast<double>(queue_limit(dut_, kLarge)), {{"queue", "1"}});
  if (dut_.dynamic_alpha != 0) {
    value("buffer", "alpha", dut_.dynamic_alpha / kAlphaUnit);
    text("buffer", "sharing", "dynamic threshold");
  } else {
    text("buffer", "sharing", dut_.port_limit != 0 ? "port limit" : "complete sharing");
  }
  value("buffer", "pool_bytes", static_cast<double>(dut_.buffer));
}

void Truths::marking() {
  const fabric::EcnMarking& ecn = dut_.queues[queue_].ecn;
  if (!ecn.enabled) {
    for (const char* name : {"kmin_bytes", "kmax_bytes", "pmax"}) absent("ecn", name);
    return;
  }
  text("ecn", "averaged", ecn.weight != 0 ? "yes" : "no");
  if (ecn.weight != 0) return;
  text("ecn", "where", ecn.at_dequeue ? "dequeue" : "enqueue");
  if (out_.flow_control != fabric::PauseMode::kOff) text("ecn", "scope", "queue");
  value("ecn", "kmin_bytes", static_cast<double>(ecn.kmin));
  value("ecn", "kmax_bytes", static_cast<double>(ecn.kmax));
  value("ecn", "pmax", 100 * static_cast<double>(ecn.pmax) * 0x1p-32);
}

void Truths::pausing() {
  if (out_.flow_control == fabric::PauseMode::kOff) return;
  value("obedience", "response_ns", static_cast<double>(dut_.times.pause_response) / kNanosecond);
  value("obedience", "ns_per_quantum", wire_ps(64, out_.rate) / kNanosecond);
  if (!pauses_sender(network_, settings_.dscp, kMarkProbe)) {
    // The test `xoff` looks for another class that the switch pauses. There may be one if a queue is
    // lossless. In this case, the result cannot be predicted.
    const bool other =
        std::any_of(dut_.queues.begin(), dut_.queues.end(), [](const auto& q) { return q.lossless; });
    if (in_.flow_control != fabric::PauseMode::kPfc || !other) absent("xoff", "xoff_bytes");
    return;
  }
  value("xoff", "quanta", dut_.pause.quanta);
  value("xoff", "refresh_us", wire_ps(64, in_.rate) * dut_.pause.quanta / 2 / 1e6);
  value("xoff", "generation_ns", static_cast<double>(dut_.times.pause_generation) / kNanosecond);
  if (dut_.pause.xoff == 0 || dut_.pause.xoff > queue_limit(dut_, kLarge)) return;
  value("xoff", "xoff_bytes", static_cast<double>(dut_.pause.xoff));
  value("xoff", "xon_bytes", static_cast<double>(dut_.pause.xon));
}

/// Adds the figures of the test `headroom`. All senders ignore pauses, except in the search for tolerated_ns.
void Truths::headroom() {
  if (out_.flow_control == fabric::PauseMode::kOff) return;
  if (!pauses_sender(network_, settings_.dscp, kLarge)) {
    const bool other =
        std::any_of(dut_.queues.begin(), dut_.queues.end(), [](const auto& q) { return q.lossless; });
    if (in_.flow_control == fabric::PauseMode::kPfc && other) return;
    for (const char* name : {"skid_bytes", "guaranteed_bytes", "overshoot_bytes", "tolerated_ns"})
      absent("headroom", name);
    return;
  }
  const double frame = kLarge, frame_ps = wire_ps(wire(kLarge), in_.rate);
  const double held = static_cast<double>(queue_frames(dut_, kLarge));
  const double spare = std::floor(static_cast<double>(dut_.pause.headroom) / frame);
  double xoff = std::ceil(static_cast<double>(dut_.pause.xoff) / frame);
  if (dut_.pause.xoff == 0) {
    const double alpha = dut_.pause.xoff_alpha / kAlphaUnit;
    xoff = std::floor(alpha * static_cast<double>(dut_.buffer) / (1 + alpha) / frame) + 1;
  }
  value("headroom", "skid_bytes", (held + spare - std::min(xoff, held + 1)) * frame);
  value("headroom", "guaranteed_bytes", static_cast<double>(dut_.pause.headroom));
  // Time from the last bit of the frame that causes the pause to the arrival of the pause frame, in
  // picoseconds.
  const double way = 2.0 * static_cast<double>(in_.delay) + wire_ps(wire(60), in_.rate) +
                     static_cast<double>(dut_.times.pipeline + dut_.times.pause_generation);
  value("headroom", "overshoot_bytes", (std::floor(way / frame_ps) + 1) * frame);
  value("headroom", "tolerated_ns", ((spare - 1) * frame_ps - way) / kNanosecond);
  value("headroom", "extra_cable_m", ((spare - 1) * frame_ps - way) / kNanosecond / 10);
}

void Truths::bursts() {
  if (pausable()) return;
  const auto frames = static_cast<double>(queue_frames(dut_, kLarge));
  const double ratio = static_cast<double>(out_.rate) / static_cast<double>(in_.rate);
  const Labels large{{"size", "4174"}};
  if (ratio < 1) value("burst", "frames", frames / (1 - ratio), large, 1 / (1 - ratio) + 1);
  if (in_.rate != out_.rate || dut_.dynamic_alpha != 0 || dut_.times.cut_through) return;
  // Bursts over cables of different lengths do not arrive at the same time.
  for (const std::size_t sender : {1U, 2U})
    if (network_.links[sender].delay != in_.delay) return;
  for (const unsigned n : {2U, 3U})
    value("incast", "frames_lossless", std::floor(frames / (n - 1)), {{"senders", std::to_string(n)}});
}

/// Adds the figures of the test `scheduler`. A queue is named after its lowest DSCP, except that the queue of
/// Settings::dscp is named after this DSCP. Queues with strict priority come first, in descending order of
/// their numbers; the others share the rest of the rate.
void Truths::scheduling() {
  std::map<std::uint8_t, std::uint8_t, std::greater<>> lowest;  // lowest DSCP of each queue
  for (std::uint8_t dscp = 0; dscp < 64; ++dscp) lowest.emplace(dut_.dscp_to_queue[dscp], dscp);
  lowest[queue_] = settings_.dscp;
  value("dscp", "queues", static_cast<double>(lowest.size()));
  if (lowest.size() < 2) return;
  std::string order;
  std::vector<std::uint8_t> shared;
  std::uint32_t least = UINT32_MAX;
  for (const auto& [queue, dscp] : lowest) {
    const std::uint32_t weight = dut_.queues[queue].weight;
    if (weight != 0) {
      shared.push_back(dscp);
      least = std::min(least, weight);
    } else {
      order += (order.empty() ? "" : " > ") + std::to_string(dscp);
    }
  }
  std::sort(shared.begin(), shared.end());
  for (std::size_t i = 0; i < shared.size(); ++i)
    order += (i != 0 ? ", " : order.empty() ? "" : " > ") + std::to_string(shared[i]);
  text("scheduler", "order", order);
  text("scheduler", "mode", shared.size() < 2 ? "strict" : "DWRR");
  for (const std::uint8_t dscp : shared)
    if (shared.size() > 1)
      value("scheduler", "weights", dut_.queues[dut_.dscp_to_queue[dscp]].weight / static_cast<double>(least),
            {{"queue", std::to_string(dscp)}});
  absent("scheduler", "shaper_gbps");
}

void Truths::others() {
  for (const char* name : {"fields", "mmr", "jain", "p_value", "per_packet"}) absent("ecmp", name);
  absent("storm", "detect_ms");
  for (const char* name : {"forge_gbps", "forge_interval_us"}) absent("dcqcn", name);
  value("codepoints", "violations", 0);
  for (const char* name : {"reordered", "duplicated"}) value("order", name, 0);
  value("cells", "cell_bytes", dut_.memory.cell);
  value("cells", "overhead_bytes", dut_.memory.cell_overhead);
  for (const char* name : {"duplicated", "reordered", "damaged", "misdelivered"}) value("soak", name, 0);
  // The mesh loads each port to 80 %. On average, 5 KB wait at a port, with an exponential distribution, so a
  // queue practically never reaches 256 KiB.
  if (queue_limit(dut_, kLarge) >= 256 * 1024) value("soak", "missing", 0);
}

}  // namespace

std::uint64_t queue_frames(const fabric::SwitchConfig& dut, std::uint32_t length) {
  const std::uint64_t limit = dut.port_limit == 0 ? dut.buffer : std::min(dut.buffer, dut.port_limit);
  if (dut.dynamic_alpha == 0) return limit / length;
  // Frame n is admitted if n·L ≤ alpha · (B - (n - 1)·L), so n ≤ alpha · (B + L) / (L · (1 + alpha)).
  const double alpha = dut.dynamic_alpha / kAlphaUnit;
  const double n = alpha * static_cast<double>(dut.buffer + length) / (length * (1 + alpha));
  return std::min(static_cast<std::uint64_t>(n), limit / length);
}

std::uint64_t queue_limit(const fabric::SwitchConfig& dut, std::uint32_t length) {
  const std::uint64_t limit = dut.port_limit == 0 ? dut.buffer : std::min(dut.buffer, dut.port_limit);
  if (dut.dynamic_alpha == 0) return limit;
  const double alpha = dut.dynamic_alpha / kAlphaUnit;
  return std::min(limit,
                  static_cast<std::uint64_t>(alpha * static_cast<double>(dut.buffer + length) / (1 + alpha)));
}

bool pauses_sender(const fabric::NetworkConfig& network, std::uint8_t dscp, std::uint32_t length) {
  const fabric::SwitchConfig& dut = network.switches[0];
  const fabric::PauseMode mode = network.links[0].flow_control;
  if (mode == fabric::PauseMode::kOff) return false;
  if (mode == fabric::PauseMode::kPfc && !dut.queues[dut.dscp_to_queue[dscp]].lossless) return false;
  if (dut.pause.headroom >= length) return true;  // the first frame in headroom pauses the sender
  const double bytes = static_cast<double>(queue_frames(dut, length) * length);
  if (dut.pause.xoff != 0) return bytes >= static_cast<double>(dut.pause.xoff);
  return bytes > dut.pause.xoff_alpha / kAlphaUnit * (static_cast<double>(dut.buffer) - bytes);
}

Time shortest_delay(const fabric::NetworkConfig& network, std::uint32_t length) {
  const fabric::LinkConfig &in = network.links[0], &out = network.links[3];
  const fabric::SwitchTimes& times = network.switches[0].times;
  const bool cuts = times.cut_through && out.rate <= in.rate;
  const double received = wire_ps(cuts ? 64 : wire(length), in.rate);
  return in.delay + out.delay + times.pipeline +
         static_cast<Time>(received + wire_ps(wire(length), out.rate) + 0.5);
}

std::vector<Truth> truths_of(const fabric::NetworkConfig& network, const switchtest::Settings& settings) {
  return Truths(network, settings).all();
}

}  // namespace softfeb::test
