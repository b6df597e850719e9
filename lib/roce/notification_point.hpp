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

/// Scope of the minimum interval between CNPs. NICs limit CNPs per port, per IP pair or per destination;
/// the DCQCN paper limits them per flow.
enum class CnpScope : std::uint8_t { kQp, kIpPair };

struct NotificationConfig {
  bool enabled = true;
  CnpScope scope = CnpScope::kQp;
  /// Minimum time between CNPs: 50 µs in the paper, 4 µs on ConnectX-5; 0 = one CNP per mark.
  Time interval = 50 * kMicrosecond;
};

/// The local address followed by the remote address, 16 bytes each. IPv4 addresses are stored as
/// ::ffff:a.b.c.d.
using IpPair = std::array<std::uint8_t, 32>;
IpPair ip_pair(const IpAddress& local, const IpAddress& remote);

/// The notification point of DCQCN (IBA, annex A17.9; Zhu et al. 2015, section 3.1). Answers CE marks with
/// congestion notification packets. For each QP or IP pair, the first notification is sent immediately. After
/// that, at most one notification is sent per interval. QPs are attached in advance, so processing a packet
/// costs one array access and allocates nothing. Not thread-safe.
class NotificationPoint {
 public:
  using Slot = std::uint32_t;

  explicit NotificationPoint(const NotificationConfig& config = {}) : config_(config) {}

  /// Returns the slot that limits the CNPs for a QP: it stores the time until which no further CNP may be
  /// sent. With CnpScope::kQp, this is the QP's own slot; with CnpScope::kIpPair, it is the slot that all QPs
  /// of the IP pair share. The same QP (IP pair and QPN) always gets the same slot.
  Slot attach(const IpPair& pair, Qpn qpn);

  /// Returns a slot for a QP whose number is unknown or may change. With CnpScope::kQp, this is a new slot;
  /// with CnpScope::kIpPair, it is the slot of the QP's IP pair.
  Slot attach(const IpPair& pair);

  /// Reports a CE-marked data packet for a QP with this slot. Returns true if a CNP must be sent. `now` must
  /// not decrease.
  bool on_marked(Slot slot, Time now);

  const NotificationConfig& config() const { return config_; }
  /// Number of CE-marked packets reported, including those reported while CNPs are disabled.
  std::uint64_t marked() const { return marked_; }
  std::uint64_t sent() const { return sent_; }  ///< number of CNPs that on_marked() requested

 private:
  struct Key {
    IpPair pair;
    Qpn qpn;
    auto operator<=>(const Key&) const = default;
  };

  NotificationConfig config_;
  std::map<Key, Slot> slots_;
  std::vector<Time> quiet_until_;  ///< for each slot: the time until which no further CNP may be sent
  std::uint64_t marked_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace softfeb::roce
