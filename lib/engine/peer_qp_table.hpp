// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"
#include "roce/psn.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// Maps (QPN, peer) to the index of the queue pair. Used for QPNs that peers choose, because two peers may
/// choose the same QPN. Memory is allocated at construction; to remove or change an entry, call clear() and
/// insert all other entries again.
class PeerQpTable {
 public:
  static constexpr std::uint32_t kNotFound = UINT32_MAX;

  struct Found {
    std::uint32_t index = kNotFound;
    bool other_peer = false;  ///< the QPN exists, but with a different peer
  };

  /// Allocates room for up to `capacity` queue pairs.
  explicit PeerQpTable(std::size_t capacity) : slots_(capacity == 0 ? 0 : std::bit_ceil(2 * capacity)) {}

  void clear() {
    for (Slot& s : slots_) s.index = kNotFound;
  }

  /// Returns false if the entry already exists.
  bool insert(roce::Qpn qpn, const roce::IpAddress& peer, std::uint32_t index) {
    std::size_t i = home(qpn);
    for (; slots_[i].index != kNotFound; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].qpn == qpn && slots_[i].peer == peer) return false;
    }
    slots_[i] = {qpn, index, peer};
    return true;
  }

  Found find(roce::Qpn qpn, const roce::IpAddress& peer) const {
    Found found;
    if (slots_.empty()) return found;
    for (std::size_t i = home(qpn); slots_[i].index != kNotFound; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].qpn != qpn) continue;
      if (slots_[i].peer == peer) return {slots_[i].index, false};
      found.other_peer = true;
    }
    return found;
  }

 private:
  struct Slot {
    roce::Qpn qpn = 0;
    std::uint32_t index = kNotFound;
    roce::IpAddress peer;
  };

  std::size_t home(roce::Qpn qpn) const {
    return static_cast<std::size_t>((qpn * 0x9e3779b97f4a7c15ULL) >> 40) & (slots_.size() - 1);
  }

  std::vector<Slot> slots_;
};

}  // namespace softfeb::engine
