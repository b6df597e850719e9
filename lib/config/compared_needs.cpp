// SPDX-License-Identifier: BSD-3-Clause
#include "config/compared_needs.hpp"

#include "config/document.hpp"
#include "config/error.hpp"
#include "config/units.hpp"
#include "roce/congestion_header.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::config {
namespace {

void set_place(Node& node) {
  node.where = {kComparedPlace, 0, {}};
  for (Node& child : node.children) set_place(child);
}

void set(Node& document, const std::string& key, const std::string& value,
         std::vector<std::string>& settings) {
  Node node = parse_yaml(value, kComparedPlace);
  set_place(node);
  set_path(document, key, std::move(node));
  settings.push_back(key + '=' + value);
}

bool is_on(const Node& owner, std::string_view key) {
  const Node* const node = owner.find(key);
  return node != nullptr && parse_bool(node->text).value.value_or(false);
}

/// Returns the keys, such as "boards.feb", of the list elements for which `lacks` returns true. `path` is the
/// dotted path of the list.
template <class Lacks>
std::vector<std::string> keys_of(const Node& document, const std::string& path, Lacks lacks) {
  const Node* list = &document;
  for (std::size_t begin = 0; list != nullptr && begin < path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    list = list->find(path.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<std::string> keys;
  if (list == nullptr) return keys;
  for (const Node& element : list->children) {
    const Node* const name = element.find("name");
    if (name != nullptr && lacks(element)) keys.push_back(path + '.' + name->text);
  }
  return keys;
}

/// Returns the keys of the list elements whose `flag` is not on.
std::vector<std::string> keys_without(const Node& document, const std::string& path, std::string_view flag) {
  return keys_of(document, path, [flag](const Node& element) { return !is_on(element, flag); });
}

bool marks(const fabric::SwitchConfig& s) {
  return s.forge.threshold != 0 ||
         std::any_of(s.queues.begin(), s.queues.end(), [](const auto& queue) { return queue.ecn.enabled; });
}

void switch_on_headers(Node& document, std::vector<std::string>& settings) {
  for (const char* const endpoints : {"boards", "receivers"}) {
    for (const std::string& key : keys_without(document, endpoints, "cc_header"))
      set(document, key + ".cc_header", "on", settings);
  }
}

/// Smallest number of strict priorities among the file's switches that have any; 8 if none has any.
std::uint32_t fewest_priorities(const LabConfig& base) {
  std::uint32_t fewest = fabric::kQueues;
  for (const auto& s : base.network.switches) {
    if (s.priorities != 0) fewest = std::min<std::uint32_t>(fewest, s.priorities);
  }
  return fewest;
}

/// True if the queues have strict priorities, and packets of each level p (DSCP 8p, priority code point p)
/// use queue p.
bool serves_levels(const fabric::SwitchConfig& s) {
  for (std::size_t level = 0; level < s.priorities; ++level) {
    const std::uint8_t queue = s.trust_pcp ? s.pcp_to_queue[level] : s.dscp_to_queue[8 * level];
    if (queue != level || s.queues[level].weight != 0) return false;
  }
  return true;
}

/// Rate of the bottleneck or, if the lab names no bottleneck, of the slowest link.
std::uint64_t bottleneck_rate(const LabConfig& lab) {
  const auto& links = lab.network.links;
  if (lab.lab.bottleneck) return links[*lab.lab.bottleneck].rate;
  return std::min_element(links.begin(), links.end(),
                          [](const auto& a, const auto& b) { return a.rate < b.rate; })
      ->rate;
}

/// Size in bytes of the longest IP packet with INT records.
std::uint32_t longest_packet(const LabConfig& lab) {
  constexpr std::uint32_t kHeader = roce::CongestionHeader::kCommonSize + roce::IntBody::kSize;
  std::uint32_t longest = 0;
  for (const BoardConfig& board : lab.run.boards) {
    for (const QpConfig& qp : board.qps)
      longest = std::max(longest, qp.pmtu + packet_overhead(!board.endpoint.ip.is_v4()) + kHeader);
  }
  return longest;
}

}  // namespace

std::vector<std::string> switch_on_marking(Node& document, const LabConfig& base) {
  // Marking begins when the queue holds 33 us of data. When the queue holds 131 us of data or more, every
  // packet is marked. At 10 Gb/s, these thresholds are 40 KiB and 160 KiB. The HPCC paper (section 5.1)
  // scales the thresholds for DCQCN to nearly the same times.
  constexpr std::uint64_t kKminNs = 32'768;
  std::vector<std::string> settings;
  const auto& switches = base.network.switches;
  if (std::any_of(switches.begin(), switches.end(), marks)) return settings;
  const std::uint64_t kmin = bottleneck_rate(base) / 1'000'000 * kKminNs / 1000;
  const std::string value =
      "{kmin: " + format_size(kmin) + ", kmax: " + format_size(4 * kmin) + ", pmax: 100%}";
  for (const std::string& key : keys_without(document, "network.switches", "ecn"))
    set(document, key + ".ecn", value, settings);
  return settings;
}

std::vector<std::string> switch_on_int(Node& document, const LabConfig& base) {
  std::vector<std::string> settings;
  for (const std::string& key : keys_without(document, "network.switches", "int"))
    set(document, key + ".int", "on", settings);
  switch_on_headers(document, settings);
  if (const std::uint32_t needed = longest_packet(base); needed > base.mtu)
    set(document, "network.mtu", std::to_string(needed), settings);
  return settings;
}

std::vector<std::string> switch_on_grants(Node& document, const LabConfig& base) {
  std::vector<std::string> settings;
  const auto has_none = [](const Node& element) { return element.find("priorities") == nullptr; };
  for (const std::string& key : keys_of(document, "network.switches", has_none))
    set(document, key + ".priorities", std::to_string(fewest_priorities(base)), settings);
  switch_on_headers(document, settings);
  return settings;
}

void add_grant_parameters(Node& section, const LabConfig& base) {
  const auto add = [&section](const char* name, const std::string& value) {
    section.children.push_back({Node::Kind::kScalar, name, value, {kComparedPlace, 0, {}}, {}});
  };
  // The default of rtt_bytes, 12,288, is meant for 10 Gb/s. It is scaled to the rate of the bottleneck.
  constexpr std::uint64_t kRttBytes = 12'288, kDefaultRate = 1'250'000'000;
  const std::uint64_t rate = bottleneck_rate(base);
  if (rate != kDefaultRate) {
    const std::uint64_t bytes = rate / 1000 * kRttBytes / (kDefaultRate / 1000);
    add("rtt_bytes", format_size(std::max<std::uint64_t>(bytes, 1)));
  }
  if (const std::uint32_t levels = fewest_priorities(base); levels >= 2 && levels < fabric::kQueues) {
    add("priorities", std::to_string(levels));
    add("unscheduled_levels", std::to_string(levels / 2));
  }
}

void check_priorities(const Node& document, const LabConfig& base, const LabConfig& lab) {
  const Node* const network = document.find("network");
  for (std::size_t i = 0; i < lab.network.switches.size(); ++i) {
    const auto& s = lab.network.switches[i];
    if (base.network.switches[i].priorities != 0 || serves_levels(s)) continue;
    const Node* const switches = network->find("switches");
    throw ConfigError(
        {{switches->where, "the queues of switch \"" + s.name + "\" defeat the priorities of Homa's packets",
          "give the switch `priorities`, and remove the weights of its queues and the maps "
          "from DSCP or PCP to queues, or leave homa out"}});
  }
}

}  // namespace softfeb::config
