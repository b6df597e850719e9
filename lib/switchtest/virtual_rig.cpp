// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/virtual_rig.hpp"

#include "switchtest/teaching.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::switchtest {

VirtualRig::VirtualRig(const fabric::NetworkConfig& network, std::function<bool()> interrupted)
    : network_(network, pool_),
      ports_(ports_of(network)),
      next_(network.stations.size()),
      interrupted_(std::move(interrupted)) {
  for (std::uint16_t i = 0; i < ports_.size(); ++i)
    endpoints_.push_back(std::make_unique<TestPort>(ports_, i));
  prepare_frame();
  teach();
}

VirtualRig::~VirtualRig() = default;

void VirtualRig::prepare_frame() {
  frame_ = pool_.acquire();
  if (frame_ == nullptr)
    throw std::runtime_error("too many frames are in the simulated network; use smaller buffers");
  out_.header = frame_->header;
}

void VirtualRig::teach() {
  for (std::uint32_t p = 0; p < ports_.size(); ++p) {
    const std::vector<std::uint8_t> bytes = teaching_frame(ports_[p].address);
    network_.send(p, pool_.make(bytes), now_);
  }
  taught_ = now_;
  drain();
}

/// Runs the network without the test ports until the network is empty.
void VirtualRig::drain() {
  constexpr Time kLongest = 100 * kSecond;
  const Time limit = now_ + kLongest;
  fabric::Network::Delivery delivery;
  while (network_.next_event() <= limit) {
    if (network_.run(network_.next_event(), {&delivery, 1}) == 0) continue;
    now_ = std::max(now_, delivery.at);
    pool_.release(delivery.frame);
  }
  if (network_.next_event() != kNever)
    throw std::runtime_error("frames stay in the simulated network for ever after a trial");
}

TrialResult VirtualRig::run(const Trial& trial) {
  check(trial, ports_);
  if (interrupted_ && interrupted_()) throw Interrupted();
  if (now_ >= taught_ + kTeachInterval) teach();
  // The trial starts a little later, so that all of its times are after the times of the previous trial.
  const Time start = now_ + kMicrosecond;
  ++trial_;
  for (std::uint32_t p = 0; p < ports_.size(); ++p) {
    endpoints_[p]->prepare(trial, trial_, start);
    next_.set(p, endpoints_[p]->next_event());
  }
  advance(start + trial.end);
  TrialResult out = collect(trial, endpoints_);
  drain();
  expire_pauses(trial);
  return out;
}

/// Waits until all pauses that the trial requested have expired. A pause may outlast the trial, for example
/// if the freeze ended late.
void VirtualRig::expire_pauses(const Trial& trial) {
  if (trial.freezes.empty() && trial.pauses.empty()) return;
  std::uint64_t slowest = ports_.front().rate;
  for (const RigPort& port : ports_) slowest = std::min(slowest, port.rate);
  now_ += roce::pause_time(0xffff, slowest);
}

void VirtualRig::advance(Time end) {
  constexpr std::uint32_t kCheckInterval = 1U << 16;
  fabric::Network::Delivery delivery;
  for (std::uint32_t n = 1;; ++n) {
    if (n % kCheckInterval == 0 && interrupted_ && interrupted_()) throw Interrupted();
    const Time next = next_.time();
    if (network_.run(std::min(next, end), {&delivery, 1}) == 1) {
      now_ = delivery.at;
      TestPort& port = *endpoints_[delivery.station];
      port.receive(static_cast<const simulator::PoolFrame*>(delivery.frame)->segments(), now_);
      pool_.release(delivery.frame);
      next_.set(delivery.station, port.next_event());
    } else if (next <= end) {
      serve(next_.party(), next);
    } else {
      break;
    }
  }
  now_ = end;
}

void VirtualRig::serve(std::uint32_t port, Time now) {
  now_ = now;
  if (endpoints_[port]->poll(now, {&out_, 1}) == 1) {
    simulator::FramePool::fill(*frame_, out_);
    network_.send(port, frame_, now);
    prepare_frame();
  }
  next_.set(port, endpoints_[port]->next_event());
}

}  // namespace softfeb::switchtest
