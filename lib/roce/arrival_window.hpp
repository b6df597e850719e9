// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/psn.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::roce {

/// Which packets of a lossy sequence came: gives every PSN its 64-bit number since the initial one and
/// remembers the last kWindow of them, so that a packet that comes late is told from one that comes twice.
/// For UC, whose PSNs may jump.
class ArrivalWindow {
 public:
  static constexpr std::uint64_t kWindow = 64;

  enum class Kind : std::uint8_t {
    kNext,       ///< the one expected
    kAhead,      ///< packets before it have not come: `passed_over` of them
    kLate,       ///< passed over before, came now
    kTooOld,     ///< behind the window: late or twice, nobody can tell
    kDuplicate,  ///< came before
  };
  struct Arrival {
    Kind kind = Kind::kNext;
    std::uint64_t index = 0;
    std::uint64_t passed_over = 0;  ///< kAhead only
  };

  explicit ArrivalWindow(Psn initial_psn) : next_psn_(initial_psn) {}

  /// Notes the arrival of `psn`. Nothing when it stands before the initial PSN. A PSN is taken for the number
  /// nearest to the newest one, so 2^23 packets lost in a row cannot be seen.
  std::optional<Arrival> note(Psn psn);

  std::uint64_t next_index() const { return next_index_; }

 private:
  Psn next_psn_;
  std::uint64_t next_index_ = 0;
  std::uint64_t seen_ = 0;  ///< bit k: packet next_index_ − 1 − k came
};

}  // namespace softfeb::roce
