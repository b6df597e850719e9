// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// The checks of section `lab.checks`, in one table that the loader and the evaluation share.
namespace softfeb::config {

/// Format of a limit, and the unit of LabCheck::limit.
enum class LimitUnit : std::uint8_t {
  kShare,   ///< a fraction such as 0.99 or 99%; from 0 to 1
  kCount,   ///< an integer
  kBytes,   ///< a size such as 64KiB; in bytes
  kTime,    ///< a time such as 300ms; in seconds
  kFactor,  ///< a factor such as 2.5; 0 or more
};

struct LabCheckKind {
  std::string_view name;
  LimitUnit unit = LimitUnit::kCount;
  /// Default direction of the limit: if true, the limit is a minimum, otherwise a maximum. A file may
  /// override it (`at most 60%`, `at least 5ms`).
  bool at_least = false;
  /// True if the check depends on timing. Such a check can fail a run only in virtual time. In real time, its
  /// result is only reported.
  bool timing = true;
  std::string_view meaning;
};

inline constexpr std::array kLabChecks{
    LabCheckKind{"fairness_jain", LimitUnit::kShare, true, true,
                 "smallest Jain index of the boards' delivered bytes over 100 ms of the steady state"},
    LabCheckKind{"fairness_jain_10ms", LimitUnit::kShare, true, true, "the same index over 10 ms"},
    LabCheckKind{"port_used", LimitUnit::kShare, true, true,
                 "smallest share of the bottleneck's rate used over 100 ms of the steady state"},
    LabCheckKind{
        "convergence", LimitUnit::kTime, false, true,
        "longest time from a board's start or stop until all sending boards are within 10 % of their fair "
        "shares"},
    LabCheckKind{"starvation", LimitUnit::kTime, false, true,
                 "longest time without a delivery from a sending board"},
    LabCheckKind{"offered", LimitUnit::kShare, true, true,
                 "smallest share that a board sent of what it was asked and allowed to send"},
    LabCheckKind{"demand_met", LimitUnit::kShare, true, true,
                 "smallest delivered share of the demand, over boards whose queue pairs all have a "
                 "`rate`"},
    LabCheckKind{"resolution", LimitUnit::kTime, false, true,
                 "longest time from a board's first ARP request or neighbour solicitation until it had "
                 "resolved all its "
                 "next hops"},
    LabCheckKind{"unresolved_qps", LimitUnit::kCount, false, false,
                 "queue pairs whose next hop's MAC address was not resolved"},
    LabCheckKind{
        "rate_tracking", LimitUnit::kShare, false, true,
        "largest difference between sent bytes and the integral of Rc over 1 ms windows while limited by "
        "Rc, beyond one packet"},
    LabCheckKind{"sawtooth", LimitUnit::kShare, false, true,
                 "largest difference between the rate's sawtooth (period and depth) and its prediction"},
    LabCheckKind{"dropped", LimitUnit::kCount, false, true,
                 "packets that switches dropped because their buffer was full"},
    LabCheckKind{"lost", LimitUnit::kCount, false, true, "packets that did not arrive, for any reason"},
    LabCheckKind{"retransmitted", LimitUnit::kCount, false, true, "packets that boards retransmitted"},
    LabCheckKind{"queue_bytes_max", LimitUnit::kBytes, false, true, "longest queue of the bottleneck"},
    LabCheckKind{"queue_bytes_mean", LimitUnit::kBytes, false, true,
                 "mean queue of the bottleneck in the steady state"},
    LabCheckKind{"pause_tx", LimitUnit::kCount, false, true,
                 "pause frames that switches sent, including PFC"},
    LabCheckKind{"ecn_marked", LimitUnit::kCount, true, true, "packets that switches marked"},
    LabCheckKind{"cnp_forged", LimitUnit::kCount, true, true, "CNPs that threshold switches forged"},
    LabCheckKind{"spread_jain", LimitUnit::kShare, true, true,
                 "smallest Jain index of the bytes that a switch sent over the ports of a set of next hops"},
    LabCheckKind{"slowdown_p99_shorter_half", LimitUnit::kFactor, false, true,
                 "99th percentile of the slowdown of the shorter half of the messages"},
    LabCheckKind{"slowdown_p99_10kb", LimitUnit::kFactor, false, true,
                 "99th percentile of the slowdown of messages of up to 10 kB"},
    LabCheckKind{"bytes_wrong", LimitUnit::kCount, false, false,
                 "payload bytes that differ from what was sent"},
};

/// Returns null if there is no such check.
constexpr const LabCheckKind* find_lab_check(std::string_view name) {
  for (const LabCheckKind& kind : kLabChecks) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace softfeb::config
