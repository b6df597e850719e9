// SPDX-License-Identifier: BSD-3-Clause
#include "random_switch.hpp"

#include "base/rng.hpp"
#include "closed_forms.hpp"
#include "switch_sets.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::test {

namespace {

/// Draws the configuration of one random switch.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(Rng::mixed(seed, 0x5357, 0)) {}

  fabric::NetworkConfig network() {
    out_ = set_v1();
    out_.seed = random_.next();
    draw_links();
    draw_memory();
    draw_queues();
    draw_marking();
    draw_pauses();
    draw_times();
    return out_;
  }

 private:
  fabric::SwitchConfig& dut() { return out_.switches[0]; }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_.next() >> 11) * 0x1p-53;
  }
  /// Returns a number whose logarithm is distributed uniformly.
  std::uint64_t logarithmic(double low, double high) {
    return static_cast<std::uint64_t>(std::exp(uniform(std::log(low), std::log(high))));
  }
  bool chance(double p) { return uniform(0, 1) < p; }
  std::uint64_t rate() {
    constexpr std::array kRates{10U, 25U, 100U};
    return kRates[random_.below(kRates.size())] * (kTenGigabit / 10);
  }
  std::uint8_t queue() { return static_cast<std::uint8_t>(random_.below(fabric::kQueues)); }
  /// Returns the number of bytes that the queue of DSCP 26 can hold.
  std::uint64_t queue_bytes() { return queue_limit(dut(), 1022); }

  void draw_links();
  void draw_memory();
  void draw_queues();
  void draw_marking();
  void draw_pauses();
  void draw_times();

  Rng random_;
  fabric::NetworkConfig out_;
};

void Draw::draw_links() {
  const std::uint64_t senders = rate(), receiver = rate();
  for (auto& link : out_.links) {
    link.rate = senders;
    link.delay = logarithmic(50.0 * kNanosecond, 10.0 * kMicrosecond);
  }
  out_.links[3].rate = receiver;
}

void Draw::draw_memory() {
  dut().buffer = logarithmic(256 * kKiB, 16 * kMiB);
  switch (random_.below(3)) {
    case 0:
      dut().port_limit = static_cast<std::uint64_t>(static_cast<double>(dut().buffer) * uniform(0.1, 0.6));
      break;
    case 1:
      dut().dynamic_alpha = 32U << random_.below(7);  // α from 1/8 to 8
      break;
    default:
      break;
  }
}

void Draw::draw_queues() {
  for (auto& queue : dut().queues)
    queue.weight = chance(0.2) ? 0 : 1 + static_cast<std::uint32_t>(random_.below(8));
  const bool by_class = chance(0.5);
  for (std::size_t dscp = 0; dscp < 64; ++dscp)
    dut().dscp_to_queue[dscp] = by_class ? static_cast<std::uint8_t>(dscp / 8) : queue();
}

void Draw::draw_marking() {
  if (chance(1.0 / 3)) return;
  const auto half = static_cast<double>(queue_bytes()) / 2;
  fabric::EcnMarking ecn{.enabled = true};
  ecn.kmax = static_cast<std::uint64_t>(half * uniform(0.2, 1));
  ecn.kmin = static_cast<std::uint64_t>(static_cast<double>(ecn.kmax) * uniform(0.1, 0.8));
  ecn.pmax = static_cast<std::uint64_t>(0x1p32 * uniform(0.01, 1));
  ecn.at_dequeue = chance(0.3);
  if (chance(0.2)) ecn.weight = static_cast<std::uint8_t>(1 + random_.below(8));
  for (auto& queue : dut().queues) queue.ecn = ecn;
}

void Draw::draw_pauses() {
  using fabric::PauseMode;
  constexpr std::array kModes{PauseMode::kOff, PauseMode::kPause, PauseMode::kPfc};
  const PauseMode mode = kModes[random_.below(kModes.size())];
  // In most cases, let the receiver pause the switch. Otherwise, hardly anything can be measured about the
  // memory of the switch.
  for (auto& link : out_.links) link.flow_control = mode;
  if (mode == PauseMode::kOff && chance(0.7)) out_.links[3].flow_control = PauseMode::kPause;
  for (auto& queue : dut().queues) queue.lossless = chance(0.3);
  const auto bytes = static_cast<double>(queue_bytes());
  dut().pause = {.headroom = chance(0.7) ? logarithmic(8 * kKiB, 256 * kKiB) : 0,
                 .quanta = static_cast<std::uint16_t>(logarithmic(64, 65'535))};
  if (chance(0.3)) {
    dut().pause.xoff_alpha = 32U << random_.below(5);  // α from 1/8 to 2
    dut().pause.xon = fabric::PauseThresholds::kNoXon;
    dut().pause.xon_offset = logarithmic(2 * kKiB, 32 * kKiB);
  } else {
    dut().pause.xoff = static_cast<std::uint64_t>(bytes * uniform(0.1, 0.9));
    dut().pause.xon = static_cast<std::uint64_t>(static_cast<double>(dut().pause.xoff) * uniform(0.1, 0.9));
  }
}

void Draw::draw_times() {
  if (chance(0.5)) dut().times.pipeline = logarithmic(100.0 * kNanosecond, 5.0 * kMicrosecond);
  if (chance(0.3)) dut().times.pause_response = logarithmic(50.0 * kNanosecond, 2.0 * kMicrosecond);
  if (chance(0.3)) dut().times.pause_generation = logarithmic(50.0 * kNanosecond, 2.0 * kMicrosecond);
  dut().times.cut_through = chance(0.3);
}

}  // namespace

fabric::NetworkConfig random_switch(std::uint64_t seed) { return Draw(seed).network(); }

}  // namespace softfeb::test
