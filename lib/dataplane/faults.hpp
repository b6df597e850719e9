// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/rng.hpp"
#include "roce/congestion_header.hpp"
#include "roce/psn.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// Fault injection. This file selects the faults; dataplane/fault_injector.hpp applies them. The same seed
/// yields the same faults for the same sequence of packets.
namespace softfeb::dataplane {

/// Probabilities in units of 2^-32.
struct FaultRates {
  std::uint64_t drop = 0;
  std::uint64_t corrupt = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t reorder = 0;  ///< probability of sending a packet after the next one
  std::uint64_t mark_ce = 0;  ///< probability of setting CE; affects only ECN-capable packets
};

enum class FaultAction : std::uint8_t { kDrop, kCorrupt, kMarkCe };

/// A fault for one packet: the n-th packet (from 1) with this DestQP and PSN.
struct FaultRule {
  FaultAction action = FaultAction::kDrop;
  roce::Qpn qpn = 0;
  roce::Psn psn = 0;
  std::uint32_t nth = 1;
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

struct FaultCounters {
  std::uint64_t dropped = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t marked_ce = 0;
};

/// Location of the headers of a RoCEv2 packet. locate_roce() reads the first bytes of an untrusted frame and
/// returns nullopt unless it is a RoCEv2 packet. In a frame to UDP port `cc_port`, a congestion control
/// header precedes the BTH.
struct RoceLocation {
  std::uint16_t ip = 0;   ///< offset of the IP header in bytes
  std::uint16_t bth = 0;  ///< offset of the BTH in bytes
  bool ipv6 = false;
  roce::Qpn dest_qp = 0;
  roce::Psn psn = 0;
  std::uint16_t content = 0;  ///< offset of the UDP payload in bytes: the CCH if there is one, or the BTH
};
std::optional<RoceLocation> locate_roce(ByteSpan frame_begin,
                                        std::uint16_t cc_port = roce::kCongestionUdpPort);

/// The faults of one direction of a queue. No allocation after construction.
class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(std::uint64_t seed, const FaultRates& rates, const std::vector<FaultRule>& rules = {});

  /// False when no fault can occur; judge() need not be called then.
  bool active() const { return active_; }

  /// Decides the faults of a packet. Always draws the same number of random numbers, so that one fault does
  /// not affect later ones.
  FaultVerdict judge(const RoceLocation& packet);

 private:
  struct Rule {
    FaultRule rule;
    std::uint32_t seen = 0;
  };
  Rng rng_;
  FaultRates rates_;
  std::vector<Rule> rules_;
  bool active_ = false;
};

}  // namespace softfeb::dataplane
