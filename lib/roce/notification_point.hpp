// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/ip.hpp"
#include "roce/psn.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace softfeb::roce {

/// For whom one CNP an interval is enough. NICs limit per port, per IP pair or per destination; the DCQCN
/// paper per flow.
enum class CnpScope : std::uint8_t { kQp, kIpPair };

struct NotificationConfig {
  bool enabled = true;
  CnpScope scope = CnpScope::kQp;
  Time interval = 50 * kMicrosecond;  ///< the paper's; ConnectX-5 has 4 µs. 0 = a CNP for every mark
};

/// Local address followed by remote address, 16 bytes each (IPv4 as ::ffff:a.b.c.d).
using IpPair = std::array<std::uint8_t, 32>;
IpPair ip_pair(const IpAddress& local, const IpAddress& remote);

/// The notification point of DCQCN (annex A17.9; Zhu et al. 2015, section 3.1): turns CE marks into
/// congestion notification packets, the first at once, then at most one an interval for each QP or IP pair.
/// QPs are attached beforehand; the packet path then costs one array access, and its memory never grows. Not
/// thread-safe.
class NotificationPoint {
 public:
  using Slot = std::uint32_t;

  explicit NotificationPoint(const NotificationConfig& config = {}) : config_(config) {}

  /// The slot in which a QP's interval is kept: its own, or the one it shares with all QPs of its IP pair.
  /// The same QP (local address and QPN) has the same slot again.
  Slot attach(const IpPair& pair, Qpn qpn);

  /// The slot of a QP whose number is not known yet, or will change: its own, or that of its IP pair.
  Slot attach(const IpPair& pair);

  /// A CE-marked data packet came for a QP with this slot: true when a CNP is to be sent. Time does not run
  /// backwards.
  bool on_marked(Slot slot, Time now);

  const NotificationConfig& config() const { return config_; }
  std::uint64_t marked() const { return marked_; }  ///< CE-marked packets seen, enabled or not
  std::uint64_t sent() const { return sent_; }      ///< CNPs asked for

 private:
  struct Key {
    IpPair pair;
    Qpn qpn;
    auto operator<=>(const Key&) const = default;
  };

  NotificationConfig config_;
  std::map<Key, Slot> slots_;
  std::vector<Time> quiet_until_;  ///< by slot
  std::uint64_t marked_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace softfeb::roce
