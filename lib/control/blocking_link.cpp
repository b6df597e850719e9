// SPDX-License-Identifier: BSD-3-Clause
#include "control/blocking_link.hpp"

#include <chrono>

namespace softfeb::control {

BlockingLink::BlockingLink(const RssiClientConfig& config, const UdpPeer& server, RssiUser& user)
    : socket_(io_, server), link_(config, server, socket_, user) {
  socket_.start(link_);
}

bool BlockingLink::wait_open(Time limit) {
  if (!connecting_) {
    connecting_ = true;
    link_.connect(steady_time());
    socket_.follow_deadline();
  }
  run_some(0);
  errors_before_ = socket_.counters().errors;
  return run_until([this] { return link_.open(); }, limit);
}

bool BlockingLink::run_until(const std::function<bool()>& done, Time limit) {
  const Time end = saturating_add(steady_time(), limit);
  while (!done()) {
    if (steady_time() >= end) return false;
    run_some(end);
  }
  return true;
}

void BlockingLink::run_some(Time until) {
  io_.restart();
  const Time now = steady_time();
  if (until > now) io_.run_one_for(std::chrono::nanoseconds((until - now) / kNanosecond + 1));
  io_.poll();
}

void BlockingLink::close() {
  if (!connecting_) return;
  connecting_ = false;
  link_.close(steady_time());
}

}  // namespace softfeb::control
