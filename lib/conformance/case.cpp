// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/case.hpp"

#include "conformance/target.hpp"

#include <algorithm>
#include <array>

namespace softfeb::conformance {

namespace {

constexpr std::array<std::string_view, 5> kLevels = {"shall", "should", "may", "measure", "robustness"};
constexpr std::array<std::string_view, 5> kSeverities = {"critical", "high", "medium", "low", "info"};
/// Names of the needs in the catalogue, indexed by the number of the bit in Needs.
constexpr std::array<std::string_view, 14> kNeeds = {"memory", "recv",        "sink", "counters", "vlan",
                                                     "two-ip", "destructive", "v6",   "reads",    "atomics",
                                                     "sends",  "cnps",        "rate", "bounds"};

template <typename Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<Enum>(it - names.begin());
}

std::uint32_t largest_pmtu(const Case& c) {
  std::uint32_t largest = 0;
  for (const Part& part : c.parts) {
    for (const QpSpec& qp : part.qps) largest = std::max(largest, qp.pmtu);
  }
  return largest;
}

}  // namespace

std::string_view name_of(Level level) { return kLevels[static_cast<std::size_t>(level)]; }
std::string_view name_of(Severity severity) { return kSeverities[static_cast<std::size_t>(severity)]; }
std::optional<Level> level_of(std::string_view name) { return find<Level>(kLevels, name); }
std::optional<Severity> severity_of(std::string_view name) { return find<Severity>(kSeverities, name); }

std::optional<Needs> need_of(std::string_view name) {
  const auto it = std::find(kNeeds.begin(), kNeeds.end(), name);
  if (it == kNeeds.end()) return std::nullopt;
  return static_cast<Needs>(1U << (it - kNeeds.begin()));
}

std::span<const std::string_view> need_names() { return kNeeds; }

std::string text_of(Needs needs) {
  std::string out;
  for (std::size_t bit = 0; bit < kNeeds.size(); ++bit) {
    if ((needs >> bit & 1U) != 0) out += (out.empty() ? "" : " ") + std::string(kNeeds[bit]);
  }
  return out;
}

std::string why_not_applicable(const Case& c, const Capabilities& target) {
  if (!c.not_available.empty()) return c.not_available;
  struct Row {
    Needs need;
    bool there;
    const char* text;
  };
  const Row rows[] = {
      {kNeedsReceives, target.receives, "the target cannot post receives and report completions"},
      {kNeedsSink, target.states, "the target has no queue pairs or regions with special attributes"},
      {kNeedsCounters, target.counters, "the target reports no hardware counters"},
      {kNeedsVlan, target.vlan, "the target has no interface with a VLAN"},
      {kNeedsTwoIps, target.two_ips, "the board has no second address"},
      {kNeedsV6, target.v6, "the target has no IPv6 address"},
      {kNeedsReads, target.reads, "the target does not support RDMA READ"},
      {kNeedsAtomics, target.atomics, "the target does not support atomic operations"},
      {kNeedsSends, target.sends, "the target does not support SEND"},
      {kNeedsCnps, target.notification_point, "the target has no notification point (CNPs)"},
      {kNeedsRate, target.line_rate, "this machine cannot send at the rate of the link"},
      {kNeedsBounds, target.bounds, "the target's region is part of a larger one"},
  };
  for (const Row& row : rows) {
    if ((c.needs & row.need) != 0 && !row.there) return row.text;
  }
  if (const std::uint32_t pmtu = largest_pmtu(c); pmtu > target.active_mtu) {
    return "the case needs a path MTU of " + std::to_string(pmtu) + ", but that of the target is " +
           std::to_string(target.active_mtu);
  }
  return {};
}

}  // namespace softfeb::conformance
