// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/egress_memory.hpp"

namespace softfeb::fabric {

EgressMemory::EgressMemory(const SwitchConfig& config, std::size_t ports)
    : cell_(config.memory.cell), overhead_(config.memory.cell_overhead), accounts_(ports) {
  for (std::size_t q = 0; q < kQueues; ++q) minimum_[q] = config.queues[q].minimum;
}

bool EgressMemory::needed(const SwitchConfig& config) {
  return config.memory.cell != 1 || config.memory.cell_overhead != 0 || config.memory.mac_leak != 0 ||
         std::any_of(config.queues.begin(), config.queues.end(),
                     [](const auto& q) { return q.minimum != 0; });
}

MemoryClaim EgressMemory::claim(std::uint32_t length, std::size_t port, std::size_t queue) const {
  const Account& account = accounts_[port];
  const std::uint64_t stored = account.stored[queue];
  MemoryClaim claim;
  claim.bytes = occupied(length);
  claim.shared = beyond(stored + claim.bytes, queue) - beyond(stored, queue);
  claim.port_bytes = account.beyond;
  claim.queue_bytes = beyond(account.all[queue], queue);
  return claim;
}

void EgressMemory::add(std::uint64_t bytes, std::size_t port, std::size_t queue, bool headroom) {
  Account& account = accounts_[port];
  account.beyond -= beyond(account.all[queue], queue);
  account.all[queue] += bytes;
  account.beyond += beyond(account.all[queue], queue);
  if (!headroom) account.stored[queue] += bytes;
}

std::uint64_t EgressMemory::remove(std::uint64_t bytes, std::size_t port, std::size_t queue, bool headroom) {
  Account& account = accounts_[port];
  account.beyond -= beyond(account.all[queue], queue);
  account.all[queue] -= bytes;
  account.beyond += beyond(account.all[queue], queue);
  if (headroom) return 0;
  const std::uint64_t before = beyond(account.stored[queue], queue);
  account.stored[queue] -= bytes;
  return before - beyond(account.stored[queue], queue);
}

}  // namespace softfeb::fabric
