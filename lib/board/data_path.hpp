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

/// Messages between the board's registers and its data path. The registers belong to the control thread, the
/// data path to a worker. A register write is converted to actions, which the worker performs in order. A
/// register read is answered from a copy of the state, which the worker has made. Both directions carry plain
/// data.
///
/// A QP is identified by its number on the board: QPs of the configuration first, then the slots of the
/// metadata bus.
namespace softfeb::board {

/// Destination of all QPs of the metadata bus: UdpEngine.ClientRemoteIp and ClientRemotePort.
struct SetDestination {
  roce::IpAddress ip;  ///< all zeros: no destination; packets wait
  std::uint16_t udp_port = 4791;
};

/// Reports that the metadata bus created QP `qp`, changed its state, or destroyed it (RESET).
struct SetQp {
  std::size_t qp = 0;
  QpContext context;
};

/// Reports a write to the DCQCN registers of QP `qp`.
struct SetDcqcn {
  std::size_t qp = 0;
  dcqcn::FirmwareParameters parameters;
  /// Bit mask of the words written: bit k is the word at offset 4k.
  std::uint16_t words = 0xffff;

  /// Returns `now` with the parameters in the written words replaced. The other parameters keep their values
  /// in `now`, because they may have been changed by other means than register writes.
  dcqcn::FirmwareParameters applied_to(const dcqcn::FirmwareParameters& now) const;
};

/// Level of Dcqcn.CnpCounterReset of QP `qp`.
struct SetCnpCounterReset {
  std::size_t qp = 0;
  bool level = false;
};

/// Registers of WorkReqDispatcher after a write. The firmware reads them for every request, so a write
/// applies to the rest of a running burst (doc/dispatcher.md).
///
/// `start` is true for a rising edge of StartDispatching, false for any other write. Writes without an edge
/// may be omitted if no burst is running, unless RemAddr changes and changes back, which resets the slot.
struct Dispatch {
  std::uint32_t count = 0;   ///< number of requests, 24 bits
  std::uint32_t length = 0;  ///< bytes per request
  std::uint64_t remote_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t lkey = 0;
  roce::Qpn sqpn = 0;
  roce::Qpn dqpn = 0;
  std::uint32_t address_wrap_count = 0;  ///< slots of the address ring; 0 means 1
  bool start = true;                     ///< rising edge; ignored during a burst
};

/// Level of WorkCompChecker.ResetCounters. The counters stay at zero while it is set.
struct SetCompletionReset {
  bool level = false;
};

/// UdpEngine.Dscp and EcnFlag: DSCP and ECN field of every RoCE packet sent from now on.
struct SetTrafficClass {
  std::uint8_t dscp = 0;  ///< 6 bits
  std::uint8_t ecn = 0;   ///< 2 bits
};

/// RoceEngine.SoftReset: destroys every QP of the metadata bus and drops all waiting requests.
struct SoftReset {};

using DataPathAction = std::variant<SetDestination, SetQp, SetDcqcn, SetCnpCounterReset, Dispatch,
                                    SetCompletionReset, SetTrafficClass, SoftReset>;

/// Live values of one QP that registers expose.
struct QpLive {
  std::size_t qp = 0;  ///< board QP number; set by the caller
  /// False if the board has no such QP (all values are then 0), or if the slot of the metadata bus is empty
  /// (rates, alpha and CNP count are then those of the slot).
  bool exists = false;
  std::uint64_t rc = 0;  ///< bytes per second
  std::uint64_t rt = 0;
  std::uint16_t alpha = 0;        ///< in units of 1/1024, 10 bits
  std::uint16_t cnp_counter = 0;  ///< 16 bits, as in the firmware
  roce::Psn next_psn = 0;         ///< PSN of the next new packet
  bool failed = false;            ///< a fatal error moved the QP to ERR
  /// Current parameters; nullopt if the QP does not use the firmware's DCQCN.
  std::optional<dcqcn::FirmwareParameters> parameters{};
};

/// Snapshot of the data path values that registers expose.
struct DataPathState {
  Time at = 0;
  std::vector<QpLive> qps;  ///< allocated by the caller, who sets QpLive::qp
  /// Completions of the metadata bus's QPs, 64 bits wide (the registers have 24 bits).
  std::uint64_t completions_ok = 0;
  std::uint64_t completions_failed = 0;
  std::uint64_t requests_waiting = 0;  ///< requests dispatched but not yet posted
  /// Pause frames received by the board itself, in addition to PortState::rx_pause.
  std::uint64_t rx_pause = 0;
};

}  // namespace softfeb::board
