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

/// Messages between the board's registers and its data path. The control thread owns the registers, and a
/// worker owns the data path. A register write is converted to actions, which the worker performs in order.
/// A register read is answered from a snapshot of the worker's state. The messages in both directions are
/// plain data.
///
/// A QP is identified by its number on the board. The QPs of the configuration have the lowest numbers. The
/// numbers of the metadata bus's slots follow.
namespace softfeb::board {

/// Sets the destination of all QPs of the metadata bus to the values of the registers
/// UdpEngine.ClientRemoteIp and ClientRemotePort.
struct SetDestination {
  roce::IpAddress ip;  ///< all zeros if there is no destination; packets then wait
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
  /// Bit mask of the words written: bit k stands for the word at offset 4k.
  std::uint16_t words = 0xffff;

  /// Returns `now` with the parameters in the written words replaced. The other parameters keep the values
  /// that they have in `now`, because they may have been changed by means other than register writes.
  dcqcn::FirmwareParameters applied_to(const dcqcn::FirmwareParameters& now) const;
};

/// Reports the level of bit Dcqcn.CnpCounterReset of QP `qp`.
struct SetCnpCounterReset {
  std::size_t qp = 0;
  bool level = false;
};

/// Reports the registers of WorkReqDispatcher after a write. The firmware reads these registers for every
/// request, so a write applies to the rest of a running burst (doc/dispatcher.md).
///
/// `start` is true if the write caused a rising edge of StartDispatching. Other writes need not be reported
/// while no burst is running, with one exception: a change of RemAddr resets the address slot, even if a
/// later write restores the old value of RemAddr.
struct Dispatch {
  std::uint32_t count = 0;   ///< number of requests, 24 bits
  std::uint32_t length = 0;  ///< bytes per request
  std::uint64_t remote_address = 0;
  std::uint32_t rkey = 0;
  std::uint32_t lkey = 0;
  roce::Qpn sqpn = 0;
  roce::Qpn dqpn = 0;
  std::uint32_t address_wrap_count = 0;  ///< number of slots in the address ring; 0 counts as 1
  bool start = true;                     ///< rising edge of StartDispatching; ignored during a burst
};

/// Reports the level of WorkCompChecker.ResetCounters. While this level is 1, the completion counters stay at
/// 0.
struct SetCompletionReset {
  bool level = false;
};

/// Sets the DSCP and ECN fields of all RoCE packets sent from now on (UdpEngine.Dscp and EcnFlag).
struct SetTrafficClass {
  std::uint8_t dscp = 0;  ///< DSCP, 6 bits
  std::uint8_t ecn = 0;   ///< ECN field, 2 bits
};

/// Registers of a traffic generator (TrafficGen[i], profile softfeb-2026.12). The generator reads its
/// registers again for every packet, so a write applies to the remaining packets.
struct TrafficGenSettings {
  enum class Mode : std::uint8_t {
    kWrite,  ///< RDMA WRITEs by the queue pair of each stream
    kUdp,    ///< UDP datagrams
  };
  /// Maximum of `packet_size`: the payload in bytes of a UDP datagram in an IPv4 packet of 9000 bytes.
  static constexpr std::uint32_t kLongest = 8972;
  static constexpr Time kClock = 6'400;  ///< unit of `gap`: one period of a 156.25 MHz clock

  std::uint32_t packet_size = 1024;  ///< payload bytes, 1…kLongest
  std::uint32_t packet_count = 0;    ///< number of packets to send; 0 means: send until Stop
  std::uint32_t gap = 0;             ///< time from the end of a packet to the next packet, in units of kClock
  std::uint16_t dest_port = 6000;    ///< kUdp: packet n goes to port `dest_port` + (n mod `streams`)
  std::uint16_t streams = 1;         ///< number of streams; 0 counts as 1
  /// For kUdp: IPv4 address of the destination, most significant byte first. If it is 0, there is no
  /// destination, so packets wait.
  std::uint32_t dest_ip = 0;
  Mode mode = Mode::kWrite;
};

/// Reports a write to the registers of the traffic generator of the board's port.
struct SetTrafficGen {
  TrafficGenSettings settings;
  bool start = false;  ///< rising edge of Start; ignored while the generator is busy
  bool stop = false;   ///< rising edge of Stop; takes precedence over `start`
};

/// RoceEngine.SoftReset: destroys every QP of the metadata bus and drops all waiting requests.
struct SoftReset {};

using DataPathAction = std::variant<SetDestination, SetQp, SetDcqcn, SetCnpCounterReset, Dispatch,
                                    SetCompletionReset, SetTrafficClass, SetTrafficGen, SoftReset>;

/// State of one QP that is visible in registers.
struct QpLive {
  std::size_t qp = 0;  ///< board QP number; set by the caller
  /// False if the board has no such QP, or if its slot of the metadata bus is empty. In the first case, all
  /// other members are 0. In the second case, rates, alpha and CNP count are valid, because the slot keeps
  /// them even without a QP.
  bool exists = false;
  std::uint64_t rc = 0;  ///< current rate in bytes per second
  std::uint64_t rt = 0;
  std::uint16_t alpha = 0;        ///< congestion estimate alpha in units of 1/1024, 10 bits
  std::uint16_t cnp_counter = 0;  ///< number of CNPs received, 16 bits as in the firmware
  roce::Psn next_psn = 0;         ///< PSN of the next new packet
  bool failed = false;            ///< a fatal error moved the QP to ERR
  /// Current parameters; nullopt if the QP does not use the firmware's DCQCN.
  std::optional<dcqcn::FirmwareParameters> parameters{};
};

/// State of the traffic generator of the board's port.
struct TrafficGenLive {
  std::uint32_t sent = 0;  ///< number of packets sent since Start
  bool busy = false;
};

/// Snapshot of the data path's state that is visible in registers.
struct DataPathState {
  Time at = 0;
  std::vector<QpLive> qps;  ///< allocated by the caller, who sets QpLive::qp
  /// Completions of the metadata bus's QPs. These counters have 64 bits; the registers have only 24.
  std::uint64_t completions_ok = 0;
  std::uint64_t completions_failed = 0;
  std::uint64_t requests_waiting = 0;  ///< number of requests dispatched but not yet posted
  /// Pause frames received by the board itself, in addition to PortState::rx_pause.
  std::uint64_t rx_pause = 0;
  TrafficGenLive traffic_gen;
};

}  // namespace softfeb::board
