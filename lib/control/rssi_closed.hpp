// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control/rssi.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

/// Why connections closed: what an endpoint knows at that moment, and a bounded list of it for people.
namespace softfeb::control {

/// The kinds of segment, for records.
enum class RssiKind : std::uint8_t { kSyn, kAck, kData, kNul, kRst };
const char* to_string(RssiKind kind);

/// A name for programs: a key of the result, a label in /metrics.
const char* code_of(RssiClose why);

/// One connection that has closed. Times are those the link was given.
struct RssiClosed {
  RssiClose why = RssiClose::kByUs;
  UdpPeer peer;
  Time opened_at = 0;
  Time closed_at = 0;
  RssiKind heard =
      RssiKind::kSyn;  ///< the peer's last valid segment; an RST that closed the connection counts
  Time heard_at = 0;
  Time idle_limit = 0;                  ///< the null timeout of this end
  std::uint64_t max_transmissions = 0;  ///< of one segment
  std::size_t unacknowledged = 0;       ///< our segments that were sent and not acknowledged
  std::uint64_t retransmitted = 0;      ///< on this connection
  std::uint64_t errors = 0;          ///< invalid segments from the peer on this connection; they were dropped
  const char* last_error = nullptr;  ///< what was wrong with the last one; null without one
  Time last_error_at = 0;
  std::optional<UdpPeer> replaced_by;  ///< with kReplaced

  // Filled by the owner of the link; an endpoint does not know them.
  bool in_band = false;      ///< the peer came by the board's own address
  std::int64_t unix_ns = 0;  ///< when it closed; 0: not known
};

/// Why, in words: "peer sent RST", "null timeout: nothing heard for 1.000 s".
std::string reason_of(const RssiClosed& closed);
/// The connection in one line: peer, how long it was up, why it closed, what was heard last and how long
/// before.
std::string describe(const RssiClosed& closed);

/// What a link remembers of its closed connections.
class RssiHistory {
 public:
  static constexpr std::size_t kKept = 16;
  using Counts = std::array<std::uint64_t, kRssiCloses>;  ///< by RssiClose

  void add(const RssiClosed& closed);
  /// The last kKept, the oldest first.
  const std::deque<RssiClosed>& kept() const { return kept_; }
  std::uint64_t count(RssiClose why) const { return counts_[static_cast<std::size_t>(why)]; }
  const Counts& counts() const { return counts_; }

 private:
  std::deque<RssiClosed> kept_;
  Counts counts_{};
};

}  // namespace softfeb::control
