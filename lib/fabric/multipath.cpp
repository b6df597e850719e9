// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/multipath.hpp"

#include "fabric/flow_hash.hpp"
#include "fabric/hops.hpp"
#include "fabric/wire_time.hpp"

#include <map>

namespace softfeb::fabric {

namespace {

/// Separates the random numbers for next hops from those for marking and faults.
constexpr std::uint64_t kStream = 0x6d75'6c74'6970'6174;

std::uint64_t seed_of(const MultipathConfig& config, std::uint32_t sw) {
  return config.polarised ? config.seed : Rng::mixed(kStream, config.seed, sw);
}

}  // namespace

Multipath::Multipath(const NetworkConfig& config, const Topology& topology) {
  const Hops hops(config);
  const std::size_t stations = config.stations.size();
  for (std::uint32_t s = 0; s < config.switches.size(); ++s) {
    const MultipathConfig chosen = config.switches[s].multipath.value_or(*config.multipath);
    choosers_.push_back({chosen, seed_of(chosen, s), Rng(Rng::mixed(config.seed, kStream, s))});
    set_of_.emplace_back(stations, kNoSet);
  }
  std::vector<std::uint16_t> ports;
  for (std::uint32_t s = 0; s < config.switches.size(); ++s) {
    std::map<std::vector<std::uint16_t>, std::uint32_t> known;
    for (std::uint32_t t = 0; t < stations; ++t) {
      const auto& left = hops.to({NodeRef::Kind::kStation, t});
      ports.clear();
      const std::uint32_t here = left[stations + s];
      for (std::uint32_t p = topology.first_port[s]; p < topology.first_port[s + 1]; ++p) {
        const NodeRef peer = topology.directions[topology.ports[p].direction].to;
        if (here != Hops::kUnreachable && left[hops.index_of(peer)] + 1 == here)
          ports.push_back(static_cast<std::uint16_t>(p));
      }
      if (ports.empty()) continue;
      const auto [set, fresh] = known.try_emplace(ports, 0);
      if (fresh) set->second = add_set(topology, s, ports);
      set_of_[s][t] = set->second;
    }
  }
}

std::uint32_t Multipath::add_set(const Topology& topology, std::uint32_t sw,
                                 const std::vector<std::uint16_t>& ports) {
  sets_.push_back({static_cast<std::uint32_t>(members_.size()), static_cast<std::uint32_t>(ports.size())});
  for (const std::uint16_t port : ports)
    members_.push_back({sw, port, link_of(topology.ports[port].direction)});
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

std::uint32_t Multipath::index_in(Set& set, Chooser& chooser, const Frame& frame) {
  switch (chooser.config.mode) {
    case MultipathConfig::Mode::kHash:
      return static_cast<std::uint32_t>(flow_hash(frame, chooser.config.fields, chooser.seed) % set.count);
    case MultipathConfig::Mode::kHashThreshold:
      return static_cast<std::uint32_t>(
          (flow_hash(frame, chooser.config.fields, chooser.seed) >> 32) * set.count >> 32);
    case MultipathConfig::Mode::kRoundRobin: {
      const std::uint32_t index = set.next;
      set.next = index + 1 == set.count ? 0 : index + 1;
      return index;
    }
    case MultipathConfig::Mode::kRandom:
      return static_cast<std::uint32_t>(chooser.random.below(set.count));
  }
  return 0;
}

std::uint16_t Multipath::choose(std::uint32_t sw, const Frame& frame) {
  const std::uint32_t index = set_of_[sw][frame.destination];
  if (index == kNoSet) return Topology::kNoPort;
  Set& set = sets_[index];
  if (set.count == 1) return members_[set.first].port;
  Member& member = members_[set.first + index_in(set, choosers_[sw], frame)];
  ++member.packets;
  member.wire_bytes += wire_bytes(frame.length);
  return member.port;
}

void Multipath::read(std::vector<NextHopSnapshot>& out) const {
  out.clear();
  for (std::uint32_t i = 0; i < sets_.size(); ++i) {
    const Set& set = sets_[i];
    if (set.count < 2) continue;
    for (std::uint32_t m = set.first; m < set.first + set.count; ++m) {
      const Member& member = members_[m];
      out.push_back({member.switch_index, i, member.port, member.link, member.packets, member.wire_bytes});
    }
  }
}

}  // namespace softfeb::fabric
