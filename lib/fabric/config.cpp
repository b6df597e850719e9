// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/config.hpp"

#include "fabric/average.hpp"
#include "roce/headers.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

namespace softfeb::fabric {

namespace {

constexpr std::uint64_t kMaxRate = 1'000'000'000'000;  // bytes per second: one byte per picosecond
constexpr std::uint64_t kMaxThreshold = UINT32_MAX;    // largest threshold of a queue, in bytes
// Shortest pause, in quanta: the time that 4 KiB take at line rate.
constexpr std::uint16_t kMinQuanta = 64;
constexpr std::uint16_t kMaxVlan = 4094;  // 4095 is reserved (IEEE 802.1Q, table 9-2)
constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

void require(bool holds, const std::string& where, const char* what) {
  if (!holds) throw std::invalid_argument(where + ": " + what);
}

void check_faults(const LinkFaults& faults, const std::string& where) {
  for (const std::uint64_t p : {faults.drop, faults.duplicate, faults.corrupt, faults.reorder})
    require(p <= kOne, where, "a fault probability is above 1");
}

void check_queue(const QueueConfig& queue, const std::string& where) {
  require(queue.minimum <= kMaxThreshold, where, "the minimum of a queue is above 4 GiB");
  const QueueRates& rates = queue.rates;
  require(rates.min <= kMaxRate && rates.max <= kMaxRate, where, "a rate of a queue is above 1 TB/s");
  require(rates.max == 0 || rates.min <= rates.max, where, "a guaranteed rate is above the maximum rate");
  require(rates.burst <= SchedulerConfig::kMaxBurst, where, "a burst is above 1 GiB");
  const EcnMarking& ecn = queue.ecn;
  if (!ecn.enabled) return;
  require(ecn.kmin <= ecn.kmax, where, "kmin is above kmax");
  require(ecn.kmax <= kMaxThreshold, where, "kmax is above 4 GiB");
  require(ecn.pmax <= kOne, where, "pmax is above 1");
  require(ecn.weight <= AverageLength::kMaxWeight, where, "the weight of an average is above 15");
}

bool below(std::uint8_t limit, const std::uint8_t* begin, const std::uint8_t* end) {
  return std::all_of(begin, end, [limit](std::uint8_t q) { return q < limit; });
}

void check_switch(const SwitchConfig& sw) {
  const std::string where = "switch " + sw.name;
  require(sw.buffer != 0, where, "no buffer");
  for (const auto& queue : sw.queues) check_queue(queue, where);
  require(below(kQueues, sw.dscp_to_queue.data(), sw.dscp_to_queue.data() + sw.dscp_to_queue.size()) &&
              below(kQueues, sw.pcp_to_queue.data(), sw.pcp_to_queue.data() + sw.pcp_to_queue.size()),
          where, "a queue number is not 0 to 7");
  require(sw.scheduler.port_rate <= kMaxRate, where, "port_rate is above 1 TB/s");
  require(sw.scheduler.port_burst <= SchedulerConfig::kMaxBurst, where, "port_burst is above 1 GiB");
  require(sw.scheduler.overhead <= SchedulerConfig::kMaxOverhead, where,
          "the scheduler's overhead is above 256 bytes");
  require(sw.priorities <= kQueues, where, "more than 8 priorities");
  for (const Time time : {sw.times.pipeline, sw.times.pause_response, sw.times.pause_generation})
    require(time <= SwitchTimes::kMax, where, "a time is longer than 1 ms");
  require(sw.memory.cell >= 1 && sw.memory.cell <= MemoryConfig::kMaxCell &&
              sw.memory.cell_overhead <= MemoryConfig::kMaxOverhead,
          where, "the cells of the buffer have 1 to 65536 bytes, and an overhead of at most 4096");
  require(sw.memory.mac_leak <= kMaxThreshold, where, "mac_leak is above 4 GiB");
  require(sw.watchdog.detection <= kSecond * 3600 && sw.watchdog.restoration <= kSecond * 3600, where,
          "a time of the watchdog is longer than an hour");
  require(sw.forge.threshold == 0 || sw.forge.window != 0, where,
          "a threshold switch needs a window above 0");
}

void check_pause(const SwitchConfig& sw) {
  const std::string where = "switch " + sw.name;
  require(sw.pause.given(), where, "flow control requires xoff or xoff_alpha");
  require(sw.pause.xoff == 0 || sw.pause.xoff_alpha == 0, where, "xoff and xoff_alpha exclude each other");
  require(sw.pause.xoff == 0 || sw.pause.xon < sw.pause.xoff, where, "xon is not below xoff");
  require(sw.pause.quanta >= kMinQuanta, where, "a pause must last at least 64 quanta");
}

void check_int(const NetworkConfig& config) {
  require(config.cc_port != 0 && config.cc_port != roce::kRoceUdpPort, "network",
          "cc_port must not be 0 or RoCE's own port");
  std::set<std::uint16_t> met;
  for (std::size_t s = 0; s < config.switches.size(); ++s)
    if (config.switches[s].int_on)
      require(met.insert(int_id_of(config, s)).second, "switch " + config.switches[s].name,
              "another switch has the same INT identifier");
}

}  // namespace

void use_priorities(SwitchConfig& config, std::uint8_t levels) {
  if (levels == 0 || levels > kQueues) throw std::invalid_argument("priorities: not 1 to 8");
  const auto queue_of = [levels](std::size_t level) {
    return static_cast<std::uint8_t>(std::min<std::size_t>(level, levels - 1U));
  };
  config.priorities = levels;
  for (std::size_t q = 0; q < levels; ++q) config.queues[q].weight = 0;
  for (std::size_t dscp = 0; dscp < config.dscp_to_queue.size(); ++dscp)
    config.dscp_to_queue[dscp] = queue_of(dscp / 8);
  for (std::size_t pcp = 0; pcp < config.pcp_to_queue.size(); ++pcp) config.pcp_to_queue[pcp] = queue_of(pcp);
}

std::uint16_t int_id_of(const NetworkConfig& config, std::size_t index) {
  if (config.switches[index].int_id != 0) return config.switches[index].int_id;
  // Each step is a bijection of 16-bit numbers, so all identifiers are different. The index itself is not
  // used, because the XOR of small numbers is often another index: 1 ^ 2 = 3.
  constexpr std::uint32_t kOdd = 0x9e37;
  const std::uint32_t scattered = static_cast<std::uint32_t>(index + 1) * kOdd & 0xffff;
  return static_cast<std::uint16_t>((scattered ^ scattered >> 8) * kOdd);
}

void check(const NetworkConfig& config) {
  for (const auto& sw : config.switches) {
    check_switch(sw);
    require(!sw.multipath || config.multipath, "switch " + sw.name, "multipath requires that of the network");
  }
  check_int(config);
  for (std::size_t i = 0; i < config.links.size(); ++i) {
    const LinkConfig& link = config.links[i];
    const std::string where = "link " + std::to_string(i);
    require(link.rate != 0 && link.rate <= kMaxRate, where, "the rate must be 1 B/s to 1 TB/s");
    check_faults(link.a_to_b, where);
    check_faults(link.b_to_a, where);
    if (link.vlans)
      for (const std::uint16_t vlan : *link.vlans)
        require(vlan != 0 && vlan <= kMaxVlan, where, "a VLAN is not 1 to 4094");
    if (link.flow_control == PauseMode::kOff) continue;
    for (const auto& end : {link.a, link.b})
      if (end.kind == NodeRef::Kind::kSwitch && end.index < config.switches.size())
        check_pause(config.switches[end.index]);
  }
}

}  // namespace softfeb::fabric
