// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::fabric {

/// Header fields that a hash may cover. A set of fields is a bit mask of these values.
enum HashField : std::uint8_t {
  kHashSourceIp = 1,
  kHashDestinationIp = 2,
  kHashProtocol = 4,
  kHashSourcePort = 8,
  kHashDestinationPort = 16,
  kHashDestQp = 32,  ///< DestQP of the BTH
};

/// How a switch chooses among several next hops with the same number of links to the destination.
struct MultipathConfig {
  enum class Mode : std::uint8_t {
    kHash,           ///< each packet takes the port with index (hash mod n) in the set of n ports
    kHashThreshold,  ///< each packet takes port i if its hash is in region i of n equal regions (RFC 2992)
    kRoundRobin,     ///< each packet takes the next port of the set
    kRandom,         ///< each packet takes a random port of the set
  };
  Mode mode = Mode::kHash;
  std::uint8_t fields = kHashSourceIp | kHashDestinationIp | kHashProtocol | kHashSourcePort |
                        kHashDestinationPort;  ///< fields that the hash covers
  std::uint32_t seed = 0;
  /// If true, the hash depends on `seed` alone, so all switches with the same seed make the same choices
  /// (polarisation). If false, it also depends on the index of the switch.
  bool polarised = false;

  bool operator==(const MultipathConfig&) const = default;
};

}  // namespace softfeb::fabric
