// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/doorbell.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include <poll.h>

namespace softfeb::dataplane {

class Port;

/// How a worker that has been idle for a while waits without polling: for its doorbell and for what its
/// ports' drivers signal. Worth it only where every port signals; usable() says so.
///
/// | port | what signals |
/// |---|---|
/// | net_ring | the worker at the other end rings |
/// | net_af_packet | its packet sockets |
/// | net_tap | the tap's file descriptor |
/// | net_vhost, net_memif, NICs | receive interrupts, where the driver has them |
/// | others | nothing: they must be polled |
class IdleWait {
 public:
  /// A wait never lasts longer, whatever is due later.
  static constexpr Time kLongest = 100 * kMillisecond;

  /// Adds queues of a started port.
  void add(const Port& port, std::span<const std::uint16_t> queues);
  /// Something of this worker signals nothing.
  void must_poll() { usable_ = false; }
  bool usable() const { return usable_; }

  Doorbell& doorbell() { return doorbell_; }

  /// From now on whatever arrives ends the next wait(). Look at all queues once more after it.
  void arm();
  bool armed() const { return armed_; }
  /// Something was there, so there is nothing to wait for.
  void disarm();
  /// Waits until something is signalled, `length` at most; disarms.
  void wait(Time length);

 private:
  struct Interrupt {
    std::uint16_t port;
    std::uint16_t queue;
    bool counts;  ///< an eventfd that must be read; a tap's descriptor has packets in it
  };

  /// False when a driver has no descriptor now, since its link is down.
  bool collect(std::vector<pollfd>& fds) const;
  void drain(const std::vector<pollfd>& fds) const;

  Doorbell doorbell_;
  std::vector<int> sockets_;
  std::vector<Interrupt> interrupts_;
  std::vector<pollfd> polled_;
  bool usable_ = true;
  bool armed_ = false;
};

}  // namespace softfeb::dataplane
