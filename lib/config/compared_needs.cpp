// SPDX-License-Identifier: BSD-3-Clause
#include "config/compared_needs.hpp"

#include "config/document.hpp"
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

/// Keys of the elements of a list that lack `flag`, such as "boards.feb". `path`: dotted path of the list.
std::vector<std::string> keys_without(const Node& document, const std::string& path, std::string_view flag) {
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
    if (name != nullptr && !is_on(element, flag)) keys.push_back(path + '.' + name->text);
  }
  return keys;
}

bool marks(const fabric::SwitchConfig& s) {
  return s.forge.threshold != 0 ||
         std::any_of(s.queues.begin(), s.queues.end(), [](const auto& queue) { return queue.ecn.enabled; });
}

/// Rate of the bottleneck, or of the slowest link if the lab names none.
std::uint64_t bottleneck_rate(const LabConfig& lab) {
  const auto& links = lab.network.links;
  if (lab.lab.bottleneck) return links[*lab.lab.bottleneck].rate;
  return std::min_element(links.begin(), links.end(),
                          [](const auto& a, const auto& b) { return a.rate < b.rate; })
      ->rate;
}

/// Bytes of IP of the longest packet with INT records.
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
  // Marking begins at 33 us of queue, and every packet is marked from 131 us on: 40 and 160 KiB at 10 Gb/s.
  // The HPCC paper (section 5.1) scales the thresholds for DCQCN to nearly the same times.
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
  for (const char* const endpoints : {"boards", "receivers"}) {
    for (const std::string& key : keys_without(document, endpoints, "cc_header"))
      set(document, key + ".cc_header", "on", settings);
  }
  if (const std::uint32_t needed = longest_packet(base); needed > base.mtu)
    set(document, "network.mtu", std::to_string(needed), settings);
  return settings;
}

}  // namespace softfeb::config
