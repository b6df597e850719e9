// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/answer.hpp"
#include "conformance/result.hpp"
#include "conformance/script_packet.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace softfeb::conformance {

/// Checks the format of a packet from the target (IBA 9.2, 9.7.5, annex A17). Returns a description of the
/// error; empty if there is none.
std::string wrong_form(const Answer& answer, roce::Transport transport);

/// Checks the acknowledgements of one queue pair, regardless of what the case expects:
/// - no PSN beyond the last one sent, and none before the first one;
/// - PSNs of ACKs do not decrease, unless duplicates were sent;
/// - the MSN is the number of messages that end at or before the acknowledged PSN (IBA 9.7.5.1.1).
class AckChecker {
 public:
  explicit AckChecker(roce::Psn first) : first_(first) {}

  /// Records a packet. `spoilt` means that the packet contains errors. The checker can then no longer predict
  /// the answers, so it stops checking.
  void sent(const ScriptPacket& packet, bool spoilt);
  /// Returns a description of the error; empty if there is none.
  std::string answer(const Answer& answer);

 private:
  std::uint32_t index(roce::Psn psn) const { return (psn - first_) & roce::kPsnMask; }

  roce::Psn first_;
  std::set<std::uint32_t> sent_;  ///< PSNs that were sent, relative to first_
  std::set<std::uint32_t> ends_;  ///< PSNs at which messages end, relative to first_
  /// Number of messages that end at or before each PSN; indexed by the PSN relative to first_. There are only
  /// elements for the PSNs before the first one that was never sent.
  std::vector<std::uint32_t> messages_;
  bool before_first_ = false;  ///< a packet before the first PSN was sent
  bool duplicates_ = false;
  bool spoilt_ = false;
  std::optional<std::uint32_t> acked_;
};

/// Checks that the target sends CNPs only for packets that were marked CE (annex A17.9.3). If the profile
/// says that a CNP accompanies each NAK, these CNPs are permitted, too.
class CnpChecker {
 public:
  explicit CnpChecker(bool with_naks) : with_naks_(with_naks) {}
  void marked() { ++causes_; }
  /// Returns a description of the error; empty if there is none.
  std::string answer(const Answer& answer);
  /// True if the profile permits one more CNP, for a NAK that has arrived or may follow. Call before passing
  /// the CNP to answer().
  bool with_nak() const { return with_naks_ && cnps_ < causes_ + kAhead; }

 private:
  static constexpr std::uint64_t kAhead = 1;  ///< number of CNPs that may arrive before their NAKs

  bool with_naks_;
  std::uint64_t causes_ = 0;
  std::uint64_t cnps_ = 0;
};

}  // namespace softfeb::conformance
