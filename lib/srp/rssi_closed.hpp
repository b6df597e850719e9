// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rssi.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

/// Records of closed connections, and a bounded list of them for display.
namespace softfeb::srp {

/// Kinds of segments in records of closed connections.
enum class RssiKind : std::uint8_t { kSyn, kAck, kData, kNul, kRst };
const char* to_string(RssiKind kind);

/// Machine-readable name of a reason, used as a key in the result and as a label in /metrics.
const char* code_of(RssiClose why);

/// One closed connection. Times are those passed to the link.
struct RssiClosed {
  RssiClose why = RssiClose::kByUs;
  UdpPeer peer;
  Time opened_at = 0;
  Time closed_at = 0;
  /// Last valid segment from the peer. It may be an RST that closed the connection.
  RssiKind heard = RssiKind::kSyn;
  Time heard_at = 0;
  Time idle_limit = 0;  ///< time without valid segments after which this end closes the connection
  std::uint64_t max_transmissions = 0;  ///< maximum number of transmissions of one segment
  std::size_t unacknowledged = 0;       ///< segments that we sent and the peer did not acknowledge
  std::uint64_t retransmitted = 0;      ///< segments retransmitted on this connection
  /// Invalid segments that the peer sent on this connection; they were dropped.
  std::uint64_t errors = 0;
  /// Reason why the last invalid segment was invalid; null if there was none.
  const char* last_error = nullptr;
  Time last_error_at = 0;
  std::optional<UdpPeer> replaced_by;  ///< the client that replaced the peer; set with kReplaced

  // Filled in by the owner of the link; not known to the endpoint.
  bool in_band = false;      ///< the peer used the board's own address
  std::int64_t unix_ns = 0;  ///< wall-clock time of the close, in ns since 1970; 0 if unknown
};

/// Describes the reason, for example "peer sent RST" or "null timeout: nothing received for 1.000 s".
std::string reason_of(const RssiClosed& closed);
/// Formats the record in one line: the peer, the duration of the connection, the reason for its end, and the
/// kind and age of the last segment received.
std::string describe(const RssiClosed& closed);

/// The last kKept closed connections of a link, and a count for each reason.
class RssiHistory {
 public:
  static constexpr std::size_t kKept = 16;
  using Counts = std::array<std::uint64_t, kRssiCloses>;  ///< indexed by RssiClose

  void add(const RssiClosed& closed);
  /// The last kKept closed connections, oldest first.
  const std::deque<RssiClosed>& kept() const { return kept_; }
  std::uint64_t count(RssiClose why) const { return counts_[static_cast<std::size_t>(why)]; }
  const Counts& counts() const { return counts_; }

 private:
  std::deque<RssiClosed> kept_;
  Counts counts_{};
};

}  // namespace softfeb::srp
