// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/real_rig.hpp"

#include "dataplane/error.hpp"
#include "runtime/port_setup.hpp"
#include "runtime/stop_signal.hpp"
#include "switchtest/frame_writer.hpp"
#include "switchtest/teaching.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace softfeb::runtime {

namespace {

using switchtest::RigKind;
using switchtest::Trial;
using switchtest::TrialResult;

/// Time from the preparation of a trial to its start.
constexpr Time kLead = 2 * kMillisecond;
/// If no frame has arrived for this long, no more frames are waiting in the switch.
constexpr Time kQuiet = 5 * kMillisecond;
constexpr Time kLongestDrain = 100 * kSecond;
/// Largest error of a recorded time in a valid trial. A loop reads the clock once per iteration. If an
/// iteration takes longer than this, the trial is void: its result must not be used.
constexpr Time kClockError = switchtest::RigFaults::kLongestGap;

/// Configures the ports at a real switch as test ports: they receive all frames, and the NIC neither sends
/// nor obeys pause frames.
config::LabConfig with_test_ports(config::LabConfig lab, const std::vector<std::string>& names) {
  std::vector<config::PortConfig> ports;
  for (const std::string& name : names) {
    const auto it = std::find_if(lab.run.ports.begin(), lab.run.ports.end(),
                                 [&](const config::PortConfig& p) { return p.name == name; });
    if (it == lab.run.ports.end()) throw std::invalid_argument("no port " + name + " in the configuration");
    ports.push_back(*it);
    if (it->promiscuous == config::Promiscuous::kAuto) ports.back().promiscuous = config::Promiscuous::kOn;
    if (it->flow_control == config::FlowControl::kLeave)
      ports.back().flow_control = config::FlowControl::kOff;
  }
  lab.run.ports = std::move(ports);
  return lab;
}

config::LabConfig configuration(const config::LabConfig& lab, const RealRigSettings& settings) {
  return settings.kind == RigKind::kRings ? with_station_rings(lab) : with_test_ports(lab, settings.ports);
}

}  // namespace

RealRig::RealRig(const config::LabConfig& lab, RealRigSettings settings)
    : settings_(std::move(settings)),
      lab_(configuration(lab, settings_)),
      dpdk_(lab_.run, switchtest::FrameWriter::zeros().size()) {
  catch_stop_signals();
  if (settings_.kind == RigKind::kPorts) {
    for (const RunPort& port : dpdk_.ports()) dataplane::forward_pause_frames(port.port->id());
    dpdk_.wait_for_links(lab_.run.run.connect_timeout, settings_.quiet);
    check_interrupted();
  }
  created_ = dpdk_.now();
  describe_ports();
  make_loops();
  if (settings_.kind == RigKind::kRings) network_ = std::make_unique<RigNetwork>(lab_, dpdk_);
  teach();
}

RealRig::~RealRig() = default;

void RealRig::describe_ports() {
  constexpr std::uint32_t kEthernet = 14;
  if (settings_.kind == RigKind::kRings) {
    ports_ = switchtest::ports_of(lab_.network);
    for (switchtest::RigPort& port : ports_) port.largest_frame = lab_.mtu + kEthernet;
  } else {
    for (std::uint16_t p = 0; p < dpdk_.ports().size(); ++p) {
      const RunPort& port = dpdk_.ports()[p];
      const std::uint64_t bps = port.port->link().bps;
      if (bps == 0)
        throw dataplane::EnvironmentError("port " + port.name + " does not report the rate of its link",
                                          "use a device that reports it; softfeb doctor shows the rates");
      ports_.push_back({port.name, bps / 8, port.port->mtu() + kEthernet, switchtest::default_address(p)});
    }
  }
  for (std::uint16_t p = 0; p < ports_.size(); ++p)
    endpoints_.push_back(std::make_unique<switchtest::TestPort>(ports_, p, kClockError));
}

void RealRig::make_loops() {
  // Lcores of the loops. The first loop runs on this thread and has none. Each of the other loops runs on a
  // worker's lcore.
  std::vector<std::optional<unsigned>> places{std::nullopt};
  if (!dataplane::shares_cpus(dpdk_.lcores()))
    for (unsigned w = 0; w < lab_.run.workers.count && places.size() < ports_.size(); ++w)
      if (settings_.kind != RigKind::kRings || w != lab_.network_worker) places.emplace_back(dpdk_.lcore(w));
  const MutableByteSpan zeros = dpdk_.arena().allocate(switchtest::FrameWriter::zeros().size());
  for (std::size_t l = 0; l < places.size(); ++l) {
    dataplane::TxBuilderConfig b;
    b.multi_segments = true;
    b.descriptors = 0;
    b.held = kHeldPackets + (settings_.kind == RigKind::kRings ? rig_frames(lab_) : 0);
    b.lcores = static_cast<unsigned>(lab_.run.workers.count) + 1;
    for (std::size_t p = l; p < ports_.size(); p += places.size()) {
      const RunPort& port = dpdk_.ports()[p];
      b.multi_segments = b.multi_segments && attaches_payload(lab_.run, p, port.port->capabilities());
      b.frame_bytes = std::max(b.frame_bytes, port.frame_bytes);
      b.descriptors += lab_.run.ports[p].tx_descriptors;
      b.socket = port.port->capabilities().socket;
    }
    loops_.push_back(std::make_unique<dataplane::TestPortLoop>(
        dpdk_.clock().clock(), dpdk_.clock().updates(),
        std::make_unique<dataplane::TxBuilder>(b, &dpdk_.arena(), dpdk_.pools())));
    if (places[l]) lcores_.push_back(*places[l]);
    for (std::size_t p = l; p < ports_.size(); p += places.size())
      loops_.back()->add(dpdk_.ports()[p].port->id(), *endpoints_[p], zeros);
  }
}

void RealRig::teach() {
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    const std::vector<std::uint8_t> frame = switchtest::teaching_frame(ports_[p].address);
    dataplane::TestPortQueue& queue = *loops_[p % loops_.size()]->queues()[p / loops_.size()];
    while (!queue.send(frame)) check_interrupted();
  }
  taught_ = dpdk_.now();
  drain();
}

TrialResult RealRig::run(const Trial& trial) {
  check(trial, ports_);
  if (dpdk_.now() >= taught_ + switchtest::kTeachInterval) teach();
  const std::uint64_t missed_before = missed();
  const Time start = dpdk_.now() + kLead;
  ++trial_;
  for (const auto& port : endpoints_) port->prepare(trial, trial_, start);
  for (const auto& loop : loops_) loop->begin(start);
  if (network_) {
    observe();
    network_->begin();
  }
  poll(start + trial.end);
  if (network_) observe();
  TrialResult out = collect(trial, endpoints_);
  const switchtest::RigFaults faults = this->faults(missed_before);
  out.time_error = faults.loop_gap + faults.network_gap;
  if (trial.counts_only) out.disturbance = disturbance(trial, out, faults);
  out.void_reason = void_reason(trial, out, faults);
  drain();
  expire_pauses(trial);
  return out;
}

void RealRig::poll(Time end) {
  stop_ = false;
  std::size_t launched = 0;
  bool interrupted = true;
  const auto finish = [&] {
    stop_ = interrupted;
    for (std::size_t l = 0; l < launched; ++l) loops_[l + 1]->join();
    for (const auto& loop : loops_) loop->end();
  };
  try {
    for (; launched < lcores_.size(); ++launched) loops_[launched + 1]->launch(lcores_[launched], end, stop_);
    interrupted = !poll_here(end);
  } catch (...) {
    finish();
    throw;
  }
  finish();
  if (interrupted) throw switchtest::Interrupted();
}

/// Runs the loop of this thread until `end`. Returns false if the run was interrupted.
bool RealRig::poll_here(Time end) {
  constexpr unsigned kCheckInterval = 64;
  for (unsigned n = 1; loops_.front()->turn() < end; ++n) {
    if (n % kCheckInterval != 0) continue;
    dpdk_.follow_clocks();
    if (interrupted()) return false;
  }
  return true;
}

switchtest::RigFaults RealRig::faults(std::uint64_t missed_before) const {
  switchtest::RigFaults out;
  out.missed = missed() - missed_before;
  for (const auto& loop : loops_) {
    out.loop_gap = std::max(out.loop_gap, loop->longest_gap());
    for (const auto& queue : loop->queues()) {
      out.refused += queue->counters().refused;
      out.no_buffers += queue->counters().no_buffers;
      out.missed += queue->counters().rx_unreadable;
    }
  }
  if (network_) network_->add_to(out);
  return out;
}

/// Number of packets that the ports have lost since they were opened.
std::uint64_t RealRig::missed() const {
  std::uint64_t sum = 0;
  for (const RunPort& port : dpdk_.ports()) {
    const dataplane::PortCounters c = port.port->counters();
    sum += c.rx_missed + c.rx_no_mbuf;
  }
  return sum;
}

/// Waits until all frames have left the switch.
void RealRig::drain() {
  const Time limit = dpdk_.now() + kLongestDrain;
  Time quiet_since = dpdk_.now();
  while (!drained(quiet_since)) {
    if (discard() != 0) quiet_since = dpdk_.now();
    check_interrupted();
    if (dpdk_.now() > limit)
      throw dataplane::EnvironmentError("frames of a trial still arrive 100 s after it",
                                        "check the switch for loops");
  }
}

bool RealRig::drained(Time quiet_since) {
  if (!network_) return dpdk_.now() >= quiet_since + kQuiet;
  observe();
  std::uint64_t sent = 0, received = 0;
  for (const auto& loop : loops_) {
    for (const auto& queue : loop->queues()) {
      sent += queue->sent();
      received += queue->received();
    }
  }
  return network_->empty(sent, received);
}

/// Waits until all pauses that the trial requested have expired. A pause may outlast the trial, for example
/// if the frame that ends a freeze was sent late.
void RealRig::expire_pauses(const Trial& trial) {
  if (trial.freezes.empty() && trial.pauses.empty()) return;
  std::uint64_t slowest = ports_.front().rate;
  for (const switchtest::RigPort& port : ports_) slowest = std::min(slowest, port.rate);
  const Time until = dpdk_.now() + roce::pause_time(0xffff, slowest);
  while (dpdk_.now() < until) {
    discard();
    check_interrupted();
  }
}

std::size_t RealRig::discard() {
  dpdk_.follow_clocks();
  std::size_t n = 0;
  for (const auto& loop : loops_)
    for (const auto& queue : loop->queues()) n += queue->discard();
  return n;
}

void RealRig::observe() {
  network_->observe([this] {
    check_interrupted();
    std::this_thread::yield();
  });
}

bool RealRig::interrupted() const {
  return settings_.interrupted ? settings_.interrupted() : stop_signals() != 0;
}

void RealRig::check_interrupted() const {
  if (interrupted()) throw switchtest::Interrupted();
}

}  // namespace softfeb::runtime
