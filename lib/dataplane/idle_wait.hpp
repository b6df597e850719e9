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

/// Lets an idle worker sleep instead of polling. The doorbell and the drivers of the worker's ports wake the
/// worker. Works only if every port has a signal; see usable().
///
/// | Port | Signal |
/// |---|---|
/// | net_ring | doorbell rung by the worker at the other end |
/// | net_af_packet | its packet sockets |
/// | net_tap | the tap's file descriptor |
/// | net_vhost, net_memif, NICs | receive interrupts, if the driver has them |
/// | others | none: they must be polled |
class IdleWait {
 public:
  /// Maximum duration of a wait.
  static constexpr Time kLongest = 100 * kMillisecond;

  /// Adds receive queues of a started port.
  void add(const Port& port, std::span<const std::uint16_t> queues);
  /// Declares that a source of the worker has no signal and must be polled.
  void must_poll() { usable_ = false; }
  bool usable() const { return usable_; }

  Doorbell& doorbell() { return doorbell_; }

  /// Arms all signals: any arrival from now on ends the next wait(). Check all queues once more after this
  /// call.
  void arm();
  bool armed() const { return armed_; }
  /// Disarms the signals. Call it if there is work, so that the worker does not wait.
  void disarm();
  /// Waits for a signal, for at most `length`, then disarms.
  void wait(Time length);

 private:
  struct Interrupt {
    std::uint16_t port;
    std::uint16_t queue;
    /// If true, the file descriptor is an eventfd, which must be read. If false, it belongs to a tap, and
    /// must not be read here, because a read would remove a packet.
    bool counts;
  };

  /// Returns false if a driver currently has no file descriptor because its link is down.
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
