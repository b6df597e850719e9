// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"

#include <cstdint>

namespace softfeb::faults {

/// Probabilities in units of 2^-32.
struct FaultRates {
  std::uint64_t drop = 0;
  std::uint64_t corrupt = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t reorder = 0;  ///< probability that a packet is sent after the packet that follows it
  std::uint64_t mark_ce = 0;  ///< probability of setting CE; affects only ECN-capable packets
};

struct FaultVerdict {
  bool drop = false;
  bool corrupt = false;
  bool duplicate = false;
  bool reorder = false;
  bool mark_ce = false;
  std::uint64_t where = 0;  ///< random number that selects the bit to corrupt

  bool any() const { return drop || corrupt || duplicate || reorder || mark_ce; }
};

/// Number of packets that random faults have affected.
struct FaultCounters {
  std::uint64_t dropped = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t marked_ce = 0;
};

/// The random faults of one direction (receive or transmit) of a port's queue. The same seed yields the same
/// faults for the same sequence of packets. Allocates no memory.
class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(std::uint64_t seed, const FaultRates& rates);

  /// False if no fault can occur. judge() then need not be called.
  bool active() const { return active_; }

  /// Decides the faults of the next packet. Always draws the same number of random numbers, so that a fault
  /// of one packet does not change the faults of later packets.
  FaultVerdict judge();

 private:
  Rng rng_;
  FaultRates rates_;
  bool active_ = false;
};

}  // namespace softfeb::faults
