// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/psn.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::roce {

/// Tracks which packets of a lossy sequence have arrived. Used for UC, where the received PSNs may have gaps.
/// Extends every PSN to a 64-bit index (0 for the initial PSN). Remembers which of the last kWindow packets
/// have arrived, to distinguish a late packet from a duplicate.
class ArrivalWindow {
 public:
  static constexpr std::uint64_t kWindow = 64;

  enum class Kind : std::uint8_t {
    kNext,       ///< the expected packet
    kAhead,      ///< `passed_over` packets before it are missing
    kLate,       ///< the packet had been counted as missing
    kTooOld,     ///< the packet is older than the window, so it is either late or a duplicate
    kDuplicate,  ///< the packet has arrived before
  };
  struct Arrival {
    Kind kind = Kind::kNext;
    std::uint64_t index = 0;
    std::uint64_t passed_over = 0;  ///< number of missing packets; set only for kAhead
  };

  explicit ArrivalWindow(Psn initial_psn) : next_psn_(initial_psn) {}

  /// Records the arrival of `psn`. Returns nullopt for a PSN before the initial one. Among the indices that
  /// have this PSN, chooses the one nearest to the newest index. Therefore, a loss of 2^23 or more packets in
  /// a row cannot be detected.
  std::optional<Arrival> note(Psn psn);

  /// Restarts the sequence at `psn`, which gets the index next_index(). Used after a loss that is too long to
  /// be counted. After such a loss, a message may begin with any PSN (IBA 9.8.2.2.1). Returns the arrival of
  /// `psn`.
  Arrival restart(Psn psn);

  std::uint64_t next_index() const { return next_index_; }

 private:
  Psn next_psn_;
  std::uint64_t next_index_ = 0;
  std::uint64_t seen_ = 0;  ///< bit k is set if packet next_index_ − 1 − k has arrived
};

}  // namespace softfeb::roce
