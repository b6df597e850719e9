// SPDX-License-Identifier: BSD-3-Clause
#include "roce/notification_point.hpp"

#include <algorithm>

namespace softfeb::roce {

IpPair ip_pair(const IpAddress& local, const IpAddress& remote) {
  IpPair pair;
  std::copy(local.bytes.begin(), local.bytes.end(), pair.begin());
  std::copy(remote.bytes.begin(), remote.bytes.end(), pair.begin() + 16);
  return pair;
}

NotificationPoint::Slot NotificationPoint::attach(const IpPair& pair, Qpn qpn) {
  // QPNs are less than 2^24, so UINT32_MAX can stand for any QP.
  const Key key{pair, config_.scope == CnpScope::kQp ? qpn & kPsnMask : UINT32_MAX};
  const auto [at, added] = slots_.try_emplace(key, static_cast<Slot>(quiet_until_.size()));
  if (added) quiet_until_.push_back(0);
  return at->second;
}

NotificationPoint::Slot NotificationPoint::attach(const IpPair& pair) {
  if (config_.scope == CnpScope::kIpPair) return attach(pair, 0);
  quiet_until_.push_back(0);
  return static_cast<Slot>(quiet_until_.size() - 1);
}

bool NotificationPoint::on_marked(Slot slot, Time now) {
  ++marked_;
  if (!config_.enabled || slot >= quiet_until_.size() || now < quiet_until_[slot]) return false;
  quiet_until_[slot] = saturating_add(now, config_.interval);
  ++sent_;
  return true;
}

}  // namespace softfeb::roce
