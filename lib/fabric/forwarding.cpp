// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/forwarding.hpp"

#include "base/bytes.hpp"
#include "fabric/facts.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace softfeb::fabric {

namespace {

std::uint64_t load_mac(const std::uint8_t* p) { return std::uint64_t{load_be32(p)} << 16 | load_be16(p + 4); }

constexpr std::uint64_t kGroupBit = std::uint64_t{1} << 40;
/// Reserved group addresses 01-80-C2-00-00-00 … -0F (IEEE 802.1Q, table 8-1).
constexpr std::uint64_t kReserved = 0x0180'c200'0000;

}  // namespace

AddressTable::AddressTable(const std::vector<StationConfig>& stations)
    : room_(std::max(kLearnt, 2 * stations.size())) {
  entries_.resize(std::bit_ceil(2 * (stations.size() + room_)));
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(entries_.size()));
  for (std::uint32_t i = 0; i < stations.size(); ++i) {
    if (!stations[i].mac) continue;
    const std::uint64_t mac = load_mac(stations[i].mac->data());
    if (mac == 0 || (mac & kGroupBit) != 0)
      throw std::invalid_argument("station " + stations[i].name + ": " + roce::to_string(*stations[i].mac) +
                                  " is not a unicast MAC address");
    Entry& entry = slot(mac);
    if (entry.mac == mac)
      throw std::invalid_argument("stations " + stations[entry.station].name + " and " + stations[i].name +
                                  " have the same MAC address");
    entry = {mac, i, false};
  }
}

const AddressTable::Entry& AddressTable::slot(std::uint64_t mac) const {
  std::size_t i = mac * 0x9e37'79b9'7f4a'7c15U >> shift_;
  while (entries_[i].mac != mac && entries_[i].mac != 0) i = (i + 1) & (entries_.size() - 1);
  return entries_[i];
}

AddressTable::Entry& AddressTable::slot(std::uint64_t mac) {
  return const_cast<Entry&>(static_cast<const AddressTable*>(this)->slot(mac));
}

std::uint32_t AddressTable::find(const std::uint8_t* p) const {
  const std::uint64_t mac = load_mac(p);
  if ((mac & kGroupBit) != 0) return (mac & ~std::uint64_t{0xf}) == kReserved ? kNobody : kEverybody;
  if (mac == 0) return kSomebody;
  const Entry& entry = slot(mac);
  return entry.mac == 0 ? kSomebody : entry.station;
}

void AddressTable::learn(const std::uint8_t* p, std::uint32_t station) {
  const std::uint64_t mac = load_mac(p);
  if (mac == 0 || (mac & kGroupBit) != 0) return;
  Entry& entry = slot(mac);
  if (entry.mac == mac) {
    if (entry.learnt) entry.station = station;
  } else if (room_ != 0) {
    --room_;
    entry = {mac, station, true};
  }
}

}  // namespace softfeb::fabric
