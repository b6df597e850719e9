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

/// Plays the host for the queue pairs that one board's metadata bus makes: says what a receiver of ours must
/// be told before the board itself acts on a register. A host has its QP before it tells the board of it, and
/// its memory before it has the board write there; here both are made of what the board is told.
///
/// * A QP gets to RTS: the receiver gets the one its DestQPN names, with the board's numbers and first PSN.
/// * WorkReqDispatcher is written: the slots of the address ring (RKey, RemAddr, Len · AddrWrapCount) become
/// a
///   region. The last few regions stay, since packets of the burst before may be on their way. All of them
///   share the same memory.
/// * A QP is gone: so is the receiver's.
///
/// Belongs to the control thread, does no I/O.
class HostResponder {
 public:
  struct Config {
    std::size_t first_bus_qp = 0;  ///< number on the board of the metadata bus's first QP
    std::size_t qps = 1;           ///< how many the bus may make: the receiver has a slot for each
    std::size_t first_slot = 0;    ///< number of the first of these slots
    std::uint64_t memory = 0;      ///< bytes of the largest region
    std::uint8_t rnr_timer = 12;   ///< code in RNR NAKs
  };
  struct Parts {
    /// `bytes` (at most Config::memory) of memory: always the same, or more of it from the same beginning.
    std::function<std::uint8_t*(std::uint64_t bytes)> memory;
    /// Whether a QP of the configuration has this number.
    std::function<bool(roce::Qpn)> taken;
    /// Something the user should know.
    std::function<void(const std::string&)> say;
  };

  HostResponder(const Config& config, Parts parts);

  /// What the receiver has to have done before the board acts on `action`; often nothing. `seen`: the newest
  /// state of the board that is known, for telling bursts that were cut off.
  std::vector<ReceiverAction> before(const board::DataPathAction& action, const board::DataPathState& seen);

 private:
  struct Slot {
    roce::QpState state = roce::QpState::kReset;  ///< of the board's QP
    bool up = false;                              ///< the receiver has a QP for it
    bool cut_off = false;                         ///< requests failed since the receiver's QP was made
    roce::Qpn qpn = 0;                            ///< of the receiver's QP
  };
  struct Region {
    roce::MemoryRegion memory;
    bool lasting = false;  ///< a burst was begun with it; else the next write of a register replaces it
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
  Parts parts_;
  std::vector<Slot> slots_;
  std::vector<Region> regions_;  ///< the newest last
  std::uint64_t failed_ = 0;     ///< completions, when last looked at
  board::Dispatch refused_;      ///< what was said last to be refused
};

}  // namespace softfeb::engine
