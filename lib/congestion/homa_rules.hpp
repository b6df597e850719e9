// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb {
class Cdf;
}

/// Homa (Montazeri et al., SIGCOMM 2018) on RDMA WRITE: the receiver grants packets to the shortest messages
/// (homa_receiver.hpp), and the sender sends the shortest message first (homa.hpp). A message is a
/// work request. The RETH of its first packet carries its length, so data packets are standard RoCEv2.
namespace softfeb::congestion {

/// Sender and receiver must have the same parameters.
struct HomaParameters {
  /// Maximum number of priority levels: IP precedence, 802.1Q and strict priority queues have eight.
  static constexpr unsigned kMaxPriorities = 8;

  std::uint32_t pmtu = 4096;         ///< payload bytes of a full packet
  std::uint64_t rtt_bytes = 12'288;  ///< payload bytes per RTT at line rate; rounded up to packets
  std::uint32_t overcommit = 4;      ///< maximum number of messages that receive grants at the same time
  unsigned priorities = 8;           ///< number of priority levels; 0 is the lowest level
  /// Length in bytes of the longest message of each unscheduled level, highest level first. The last
  /// unscheduled level has no entry, because it is unbounded. The levels below the last unscheduled level are
  /// for scheduled packets.
  std::vector<std::uint32_t> cutoffs = {4096, 16'384, 65'536};
  /// Time without a packet after which a receiver requests granted packets that have not arrived.
  Time resend_interval = kMillisecond;
  /// If true, a packet never overtakes the previous one of its queue pair. Only experiments set this to
  /// false, because an RC responder treats an overtaken packet as lost.
  bool keep_order = true;

  bool operator==(const HomaParameters&) const = default;
};

/// Returns cutoffs for HomaParameters, highest level first: `levels` − 1 lengths in bytes. With these
/// cutoffs, each of the `levels` unscheduled levels (at least 1) carries the same share of the unscheduled
/// bytes of messages with these `lengths` (Homa, section 3.4). For set-up only, because it reads the
/// distribution about a hundred times.
std::vector<std::uint32_t> equal_cutoffs(const Cdf& lengths, std::uint64_t rtt_bytes, unsigned levels);

/// The rules that sender and receiver share. All values are integers.
class HomaRules {
 public:
  /// Throws std::invalid_argument, whose text names the parameter and its bounds.
  explicit HomaRules(const HomaParameters& parameters);

  /// Number of packets of a message of `length` bytes; an empty message has one packet.
  std::uint32_t packets(std::uint32_t length) const {
    return length == 0 ? 1 : static_cast<std::uint32_t>((std::uint64_t{length} + pmtu_ - 1) / pmtu_);
  }
  /// Number of packets that need no grant, in a message of `packets` packets.
  std::uint32_t unscheduled(std::uint32_t packets) const { return std::min(packets, rtt_packets_); }
  std::uint32_t rtt_packets() const { return rtt_packets_; }
  unsigned scheduled_levels() const { return scheduled_levels_; }
  unsigned top_priority() const { return top_priority_; }
  /// Priority of the unscheduled packets of a message of `length` bytes.
  std::uint8_t unscheduled_priority(std::uint32_t length) const;
  /// Priority of the granted message with this rank (0 is the shortest) among `active` granted messages. Uses
  /// the lowest levels that distinguish all of these messages (Homa, section 3.4).
  std::uint8_t scheduled_priority(std::size_t rank, std::size_t active) const;

 private:
  std::uint32_t pmtu_;
  std::uint32_t rtt_packets_;
  unsigned scheduled_levels_;
  unsigned top_priority_;
  std::size_t cutoff_count_;
  std::array<std::uint32_t, HomaParameters::kMaxPriorities> cutoffs_{};
};

}  // namespace softfeb::congestion
