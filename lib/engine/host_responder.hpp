// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/data_path.hpp"
#include "engine/receiver_action.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace softfeb::engine {

/// Acts as the host for the queue pairs that one board's metadata bus creates: translates register writes
/// into actions of the built-in receiver, which must be performed before the corresponding actions of the
/// board. A real host creates its QP and registers its memory before it writes to the board; here both are
/// derived from the register writes.
///
/// - A QP enters RTS: the receiver creates the QP named by DestQPN, with the board's QPN and first PSN.
/// - WorkReqDispatcher is written: the slots of the address ring (RKey, RemAddr, Len · AddrWrapCount) become
///   a memory region. The last few regions are kept, because packets of the previous burst may be in flight.
///   All regions share the same memory.
/// - A QP is destroyed: the receiver destroys the corresponding QP.
///
/// Owned by the control thread. Does no I/O.
class HostResponder {
 public:
  struct Config {
    std::size_t first_bus_qp = 0;  ///< index of the metadata bus's first QP on the board
    std::size_t qps = 1;           ///< number of QPs the bus can create; the receiver has one slot per QP
    std::size_t first_slot = 0;    ///< index of the receiver's first slot for these QPs
    std::uint64_t memory = 0;      ///< size of the largest region in bytes
    std::uint8_t rnr_timer = 12;   ///< timer code in RNR NAKs
  };
  struct Deps {
    /// Returns `bytes` bytes of memory; `bytes` is at most Config::memory. Always returns the same start
    /// address.
    std::function<std::uint8_t*(std::uint64_t bytes)> memory;
    /// Returns true if a configured QP of the receiver has this QPN.
    std::function<bool(roce::Qpn)> taken;
    /// Reports a message to the user.
    std::function<void(const std::string&)> say;
  };

  HostResponder(const Config& config, Deps deps);

  /// Returns the actions that the receiver must perform before the board performs `action`; often there are
  /// none. `seen` is the newest known state of the board, from which failed requests are detected.
  std::vector<ReceiverAction> before(const board::DataPathAction& action, const board::DataPathState& seen);

 private:
  struct Slot {
    roce::QpState state = roce::QpState::kReset;  ///< state of the board's QP
    bool up = false;                              ///< true if the receiver has a QP for this slot
    /// True if data that the board sent was lost since the receiver's QP was created.
    bool cut_off = false;
    roce::Qpn qpn = 0;  ///< QPN of the receiver's QP
  };
  struct Region {
    roce::MemoryRegion memory;
    /// True if a burst was started with the region. If false, the next write of the dispatcher's registers
    /// replaces the region.
    bool lasting = false;
  };
  using Actions = std::vector<ReceiverAction>;

  void look_for_failures(const board::DataPathState& seen);
  void on(const board::SetQp& a, Actions& out);
  void on(const board::Dispatch& a, Actions& out);
  void on(const board::SoftReset& a, Actions& out);
  template <typename Other>
  void on(const Other& /*a*/, Actions& /*out*/) {}

  void set_up(std::size_t i, const board::QpContext& context, Actions& out);
  void remove(std::size_t i, Actions& out);
  bool acceptable(const board::Dispatch& a, std::uint64_t bytes);
  void add_region(Region region);
  void tell_regions(std::size_t i, Actions& out) const;

  Config config_;
  Deps deps_;
  std::vector<Slot> slots_;
  std::vector<Region> regions_;  ///< newest last
  std::uint64_t failed_ = 0;     ///< number of failed completions at the last check
  board::Dispatch refused_;      ///< rejected write that was last reported to the user
};

}  // namespace softfeb::engine
