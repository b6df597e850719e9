// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/idle_wait.hpp"

#include "dataplane/port.hpp"

#include <algorithm>
#include <ctime>

#include <poll.h>
#include <rte_ethdev.h>
#include <unistd.h>

namespace softfeb::dataplane {

namespace {

/// Longest wait while a port has no link. The wait must be short, because the port's file descriptor appears
/// only when the link comes up.
constexpr Time kWithoutLink = 1 * kMillisecond;

int interrupt_fd(std::uint16_t port, std::uint16_t queue) {
  return rte_eth_dev_rx_intr_ctl_q_get_fd(port, queue);
}

}  // namespace

void IdleWait::add(const Port& port, std::span<const std::uint16_t> queues) {
  const DeviceKind kind = port.device().spec().kind;
  if (kind == DeviceKind::kRing) return;
  if (!port.device().sockets().empty()) {
    // The driver does not reveal which queue reads which socket, so poll all sockets. A spurious wake-up is
    // harmless.
    sockets_.insert(sockets_.end(), port.device().sockets().begin(), port.device().sockets().end());
  } else if (port.receive_interrupts()) {
    for (const std::uint16_t queue : queues)
      interrupts_.push_back({port.id(), queue, kind != DeviceKind::kTap});
  } else {
    must_poll();
  }
  polled_.reserve(1 + sockets_.size() + interrupts_.size());
}

void IdleWait::arm() {
  armed_ = true;
  for (const Interrupt& i : interrupts_) {
    if (i.counts) rte_eth_dev_rx_intr_enable(i.port, i.queue);
  }
  doorbell_.arm();
}

void IdleWait::disarm() {
  armed_ = false;
  doorbell_.disarm();
  for (const Interrupt& i : interrupts_) {
    if (i.counts) rte_eth_dev_rx_intr_disable(i.port, i.queue);
  }
}

bool IdleWait::collect(std::vector<pollfd>& fds) const {
  fds.clear();
  fds.push_back({.fd = doorbell_.fd(), .events = POLLIN, .revents = 0});
  for (const int fd : sockets_) fds.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  bool complete = true;
  for (const Interrupt& i : interrupts_) {
    // Query the descriptor before each wait, because it changes when a guest reconnects.
    fds.push_back({.fd = interrupt_fd(i.port, i.queue), .events = POLLIN, .revents = 0});
    complete = complete && fds.back().fd >= 0;
  }
  return complete;
}

void IdleWait::drain(const std::vector<pollfd>& fds) const {
  for (std::size_t i = 0; i < interrupts_.size(); ++i) {
    const pollfd& p = fds[1 + sockets_.size() + i];
    if ((p.revents & POLLIN) == 0 || !interrupts_[i].counts) continue;
    if (interrupt_fd(interrupts_[i].port, interrupts_[i].queue) != p.fd) continue;
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t n = read(p.fd, &count, sizeof count);
  }
}

void IdleWait::wait(Time length) {
  length = std::min(length, collect(polled_) ? kLongest : kWithoutLink);
  const timespec limit{.tv_sec = static_cast<time_t>(length / kSecond),
                       .tv_nsec = static_cast<long>(length % kSecond / kNanosecond)};
  if (ppoll(polled_.data(), polled_.size(), &limit, nullptr) > 0) {
    if ((polled_.front().revents & POLLIN) != 0) doorbell_.clear();
    drain(polled_);
  }
  disarm();
}

}  // namespace softfeb::dataplane
