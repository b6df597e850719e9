// SPDX-License-Identifier: BSD-3-Clause
#include "sockets/blocking_link.hpp"

#include <chrono>

namespace softfeb::sockets {

BlockingLink::BlockingLink(const srp::RssiClientConfig& config, const srp::UdpPeer& server,
                           srp::RssiUser& user)
    : socket_(io_, server), server_(server), link_(config, server, socket_, user) {
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

std::string BlockingLink::why_not_open() const {
  if (socket_.counters().errors > errors_before_)
    return "connection refused (port unreachable); likely causes: softfeb is not running, or its board has "
           "`listen: none` and responds only in band, at its own address, to hosts on its network; check "
           "address "
           "and port";
  return "no response; likely causes: the board or its link is down, or this machine is not on its network "
         "(ping " +
         server_.ip.to_string() +
         "); softfeb does not allow this machine (control.allow); another client keeps connecting";
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

}  // namespace softfeb::sockets
