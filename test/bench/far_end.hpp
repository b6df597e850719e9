// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ack_source.hpp"
#include "cnp_source.hpp"
#include "environment.hpp"
#include "event_log.hpp"

#include <atomic>
#include <optional>

namespace softfeb::bench {

/// The far end of a net_ring on its own lcore: receives all packets, acknowledges those that request it, and
/// sends scheduled CNPs.
class alignas(128) FarEnd {
 public:
  /// All references must outlive this object. `acknowledge`: false for UC.
  FarEnd(const Environment& environment, std::uint16_t port, bool acknowledge, dataplane::Mempools& pools);

  /// Call only while the lcore is not running.
  CnpSource& cnps() { return cnps_; }
  void launch();
  void join();

  /// kCnpArrived for each CNP put into the ring.
  const EventLog& log() const { return log_; }
  /// Acknowledgements and CNPs that the ring did not accept.
  std::uint64_t lost() const { return lost_; }

 private:
  static int run(void* self);
  void receive();
  void send(rte_mbuf** frames, std::uint16_t n);
  void send_cnp();

  const Environment& environment_;
  std::uint16_t port_;
  CnpSource cnps_;
  std::optional<Acknowledger> acknowledger_;
  EventLog log_;
  std::uint64_t lost_ = 0;
  std::atomic<bool> stop_{false};
};

}  // namespace softfeb::bench
