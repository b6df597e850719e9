// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"

#include <cstdint>
#include <string>

/// Plain values a configuration is made of. No YAML, no I/O.
namespace softfeb::config {

/// Where a setting came from, for messages to people: "conf/board.yaml:12: boards.0.qps.0.pmtu: ...".
struct Where {
  std::string file;  ///< the file as the user named it, or "--set"
  int line = 0;      ///< 1-based; 0 for --set and for what no file holds
  std::string key;   ///< dotted path as --set takes it: boards.0.qps.0.pmtu
};

using roce::IpAddress;
using roce::MacAddress;

/// A probability as a whole number of billionths, so that no floating point decides what a seed gives.
struct Probability {
  static constexpr std::uint32_t kOne = 1'000'000'000;
  std::uint32_t billionths = 0;

  /// As Rng::chance() takes it: parts in 2^32, to the nearest; one is exactly 2^32.
  constexpr std::uint64_t parts() const { return ((std::uint64_t{billionths} << 32) + kOne / 2) / kOne; }

  auto operator<=>(const Probability&) const = default;
};

/// A rate at which messages are offered. Bytes count payload (first transmissions), packets are request
/// packets, messages are work requests.
struct Rate {
  enum class Unit : std::uint8_t { kMax, kPayloadBytes, kPackets, kMessages };
  Unit unit = Unit::kMax;        ///< kMax: as fast as link, window and worker allow
  std::uint64_t per_second = 0;  ///< not 0 unless kMax

  auto operator<=>(const Rate&) const = default;
};

}  // namespace softfeb::config
