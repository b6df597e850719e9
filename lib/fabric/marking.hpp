// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "fabric/config.hpp"
#include "fabric/frame.hpp"

#include <cstdint>

namespace softfeb::fabric {

/// Whether a packet is marked that finds `queued` bytes before it.
inline bool marks(const EcnMarking& ecn, std::uint64_t queued, Rng& rng) {
  if (!ecn.enabled || queued < ecn.kmin) return false;
  if (queued >= ecn.kmax) return true;
  return rng.chance(ecn.pmax * (queued - ecn.kmin) / (ecn.kmax - ecn.kmin));  // of checked values: fits
}

/// Writes Congestion Experienced into the IP header of a frame with kFactEct, which it then has no more.
/// IPv4's checksum is brought up to date (RFC 1624), wrong ones stay wrong; the iCRC does not cover the
/// field.
void mark_congestion(Frame& frame);

}  // namespace softfeb::fabric
