// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace softfeb::app {

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::line(double seconds, const dataplane::Worker::Totals& totals,
                    const std::vector<engine::EndpointSnapshot>& endpoints) {
  if (quiet_) return;
  std::uint64_t payload = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t cnps = 0;
  std::uint64_t rnrs = 0;
  std::uint64_t timeouts = 0;
  std::size_t unresolved = 0;
  for (const auto& e : endpoints) {
    unresolved += e.unresolved;
    for (const auto& qp : e.send_qps) {
      payload += qp.requester.payload_bytes;
      retransmitted += qp.requester.retransmitted_packets;
      completed += qp.requester.messages_completed;
      failed += qp.requester.messages_failed;
      cnps += qp.counters.cnp_rx;
      rnrs += qp.requester.rnr_rx;
      timeouts += qp.requester.timeouts;
    }
  }
  const double dt = seconds - last_seconds_;
  const std::uint64_t packets = totals.lanes.tx_packets;
  std::string text =
      fmt::format("{:7.1f} s  {:10.4f} Mpps  {:9.3f} Gb/s payload  {} messages  {} retransmitted", seconds,
                  static_cast<double>(packets - last_packets_) / dt * 1e-6,
                  static_cast<double>(payload - last_payload_) / dt * 8e-9, completed, retransmitted);
  if (failed != 0) text += fmt::format("  {} FAILED", failed);
  if (timeouts != 0) text += fmt::format("  {} timeouts", timeouts);
  if (rnrs != 0) text += fmt::format("  {} times receiver not ready", rnrs);
  if (cnps != 0) text += fmt::format("  {} CNPs", cnps);
  if (unresolved != 0) text += fmt::format("  waiting for ARP of {} neighbours", unresolved);
  last_seconds_ = seconds;
  last_packets_ = packets;
  last_payload_ = payload;
  std::fputs(terminal_ ? fmt::format("\r\033[K{}", text).c_str() : (text + "\n").c_str(), stderr);
  std::fflush(stderr);
  open_ = terminal_;
}

void Progress::note(const std::string& text) {
  end();
  if (!quiet_) std::fputs((text + "\n").c_str(), stderr);
}

void Progress::end() {
  if (open_) std::fputs("\n", stderr);
  open_ = false;
}

}  // namespace softfeb::app
