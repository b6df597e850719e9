// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "board/qp_control.hpp"
#include "dcqcn/firmware_parameters.hpp"
#include "roce/ip.hpp"
#include "roce/psn.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

/// What the board's registers and its data path say to each other. The registers live on the control thread,
/// the data path on its worker: a register write becomes actions that the worker carries out in order, a
/// register read is answered from a state that the worker has copied. Plain data on both ways.
///
/// QPs are named by their number on the board: those of the configuration first, then the slots of the
/// metadata bus.
namespace softfeb::board {

/// Where the packets of the bus's QPs go: UdpEngine.ClientRemoteIp and ClientRemotePort.
struct SetDestination {
  roce::IpAddress ip;  ///< all zero: nowhere, packets wait
  std::uint16_t udp_port = 4791;
};

/// The metadata bus changed QP `qp`: set up, moved to another state, or gone (RESET).
struct SetQp {
  std::size_t qp = 0;
  QpContext context;
};

/// The Dcqcn registers of QP `qp` were written.
struct SetDcqcn {
  std::size_t qp = 0;
  dcqcn::FirmwareParameters parameters;
  /// Which words of the block were written: bit k is the word at offset 4k.
  std::uint16_t words = 0xffff;

  /// `now` with the parameters in those words. The others stay as they are: the registers may not know of a
  /// change that was made past them.
  dcqcn::FirmwareParameters applied_to(const dcqcn::FirmwareParameters& now) const;
};

/// Dcqcn.CnpCounterReset of QP `qp`: a level.
struct SetCnpCounterReset {
  std::size_t qp = 0;
  bool level = false;
};

/// WorkReqDispatcher: its registers, after a rising edge of StartDispatching, or (`start` false) after any
/// other write. The firmware looks at them request by request, so a write acts on the rest of a burst
/// (doc/dispatcher.md); writes without an edge may be left out where that and a RemAddr that is changed and
/// changed back do not matter.
struct Dispatch {
  std::uint32_t count = 0;   ///< requests, 24 bits
  std::uint32_t length = 0;  ///< bytes of each
  std::uint64_t remote_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t lkey = 0;
  roce::Qpn sqpn = 0;
  roce::Qpn dqpn = 0;
  std::uint32_t address_wrap_count = 0;  ///< slots of the address ring; 0 is one
  bool start = true;                     ///< an edge; during a burst it starts none
};

/// WorkCompChecker.ResetCounters: a level; counters stay at zero while it is set.
struct SetCompletionReset {
  bool level = false;
};

/// UdpEngine.Dscp and EcnFlag: the traffic class of every RoCE packet that the board sends from now on.
struct SetTrafficClass {
  std::uint8_t dscp = 0;  ///< 6 bits
  std::uint8_t ecn = 0;   ///< 2 bits
};

/// RoceEngine.SoftReset: every QP of the bus is gone, whatever waits is dropped.
struct SoftReset {};

using DataPathAction = std::variant<SetDestination, SetQp, SetDcqcn, SetCnpCounterReset, Dispatch,
                                    SetCompletionReset, SetTrafficClass, SoftReset>;

/// Live values of one QP that registers show.
struct QpLive {
  std::size_t qp = 0;  ///< which one; set by the asker
  /// False: no such QP on the board, or a slot of the metadata bus that holds none; rates, alpha and CNPs are
  /// then those of the slot.
  bool exists = false;
  std::uint64_t rc = 0;  ///< bytes per second
  std::uint64_t rt = 0;
  std::uint16_t alpha = 0;        ///< of 1024, 10 bits
  std::uint16_t cnp_counter = 0;  ///< as the firmware counts: 16 bits
  roce::Psn next_psn = 0;         ///< of the next new packet
  bool failed = false;            ///< the data path met a fatal error: ERR
  /// In force. None: it has not the firmware's DCQCN.
  std::optional<dcqcn::FirmwareParameters> parameters{};
};

/// A copy of what registers show of the data path, all of one moment.
struct DataPathState {
  Time at = 0;
  std::vector<QpLive> qps;  ///< the asker fills in which; room is the asker's
  /// Of requests of the metadata bus's QPs, 64 bits wide (the registers show 24).
  std::uint64_t completions_ok = 0;
  std::uint64_t completions_failed = 0;
  std::uint64_t requests_waiting = 0;  ///< dispatched and not yet posted
  std::uint64_t rx_pause = 0;          ///< pause frames that the board itself took, besides its port
};

}  // namespace softfeb::board
