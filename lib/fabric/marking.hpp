// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "fabric/config.hpp"
#include "fabric/frame.hpp"

#include <cstdint>

namespace softfeb::fabric {

/// Decides whether to mark a packet whose queue contains `queued` bytes. EcnMarking determines which bytes
/// count.
inline bool marks(const EcnMarking& ecn, std::uint64_t queued, Rng& rng) {
  if (!ecn.enabled || queued < ecn.kmin) return false;
  if (queued >= ecn.kmax) return true;
  // The product cannot overflow, because check() has limited pmax to 2^32 and kmax to less than 2^32.
  return rng.chance(ecn.pmax * (queued - ecn.kmin) / (ecn.kmax - ecn.kmin));
}

/// Returns true if the ECN field of a frame is ECT(0), ECT(1) or CE. Other frames, including those without a
/// complete IP header, are not ECN-capable.
bool ecn_capable(const Frame& frame);

/// Sets CE in the IP header of a frame with kFactEct and clears kFactEct. Updates the IPv4 checksum
/// incrementally (RFC 1624), so a wrong checksum remains wrong. The iCRC does not cover the ECN field.
void mark_congestion(Frame& frame);

}  // namespace softfeb::fabric
