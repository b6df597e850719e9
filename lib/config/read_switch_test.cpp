// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/units.hpp"

#include <algorithm>

namespace softfeb::config {
namespace {

constexpr std::uint32_t kSmallestSize = 64, kLargestSize = 9'216;  ///< sizes of frames with FCS

/// Reads the ports of a switch test, each of which may be named only once.
class RigPorts {
 public:
  RigPorts(Reading& reading, SwitchTestConfig& out) : reading_(reading), out_(out) {}

  std::uint16_t add(const std::string& name, const Where& where) {
    const auto known = std::find(out_.ports.begin(), out_.ports.end(), name);
    if (known != out_.ports.end()) {
      reading_.problem(where, "port \"" + name + "\" is named twice", "give each role a port of its own");
      return static_cast<std::uint16_t>(known - out_.ports.begin());
    }
    out_.ports.push_back(name);
    out_.port_wheres.push_back(where);
    return static_cast<std::uint16_t>(out_.ports.size() - 1);
  }

  std::optional<std::uint16_t> role(Section& map, const char* key) {
    std::string name;
    if (!map.read(key, name, parse_text)) return std::nullopt;
    return add(name, map.find(key)->where);
  }

  std::vector<std::uint16_t> list(Section& s, const char* key) {
    std::vector<std::uint16_t> out;
    for (const Node& node : s.list(key)) {
      std::string name;
      if (s.scalar(node, name, parse_text)) out.push_back(add(name, node.where));
    }
    return out;
  }

 private:
  Reading& reading_;
  SwitchTestConfig& out_;
};

/// Fills in roles that the file does not assign: with three ports, the third is B, C and E; with four, the
/// fourth is both C and E.
void fill_roles(switchtest::Roles& roles) {
  if (!roles.c) roles.c = roles.b ? roles.b : roles.e;
  if (!roles.b) roles.b = roles.c;
  if (!roles.e) roles.e = roles.c;
}

/// Reads the role of each port. Ports are numbered in the order of the file, so that a link can name a range
/// of them.
void read_map(Reading& reading, const Node& node, const std::string& pattern, RigPorts& ports,
              switchtest::Roles& roles) {
  Section map(reading, node, pattern);
  std::optional<std::uint16_t> a, d;
  const std::pair<const char*, std::optional<std::uint16_t>*> keys[] = {
      {"A", &a}, {"B", &roles.b}, {"C", &roles.c}, {"D", &d}, {"E", &roles.e}};
  for (const auto& key : keys) map.find(key.first);
  for (const Node& child : node.children)
    for (const auto& [key, role] : keys)
      if (child.name == key) *role = ports.role(map, key);
  if (!a) map.missing("A", "p0");
  if (!d) map.missing("D", "p1");
  roles.a = a.value_or(0);
  roles.d = d.value_or(0);
  fill_roles(roles);
  map.close();
}

void read_sizes(Section& s, std::vector<std::uint32_t>& sizes) {
  const std::vector<Node>& list = s.list("sizes");
  if (list.empty()) return;
  sizes.clear();
  for (const Node& node : list) s.scalar(node, sizes.emplace_back(), integer(kSmallestSize, kLargestSize));
}

void check_sizes(Section& s, const switchtest::Settings& settings) {
  if (settings.plain_udp) return;
  for (const std::uint32_t size : settings.sizes) {
    const bool roce = size >= 78 && size <= 4174 && (size - 78) % 4 == 0;
    if (roce) continue;
    s.reading().problem(s.given("sizes") ? s.find("sizes")->where : s.where(),
                        "no RoCE frame has " + std::to_string(size) + " bytes",
                        "write 78 plus a multiple of 4, at most 4174, or add `plain_udp: true`");
  }
}

/// Reads the addresses behind the next hops. The switch test sends IPv4 packets unless a test requires IPv6.
void read_behind(Section s, switchtest::Settings& settings) {
  switchtest::PortAddress& behind = settings.behind_next_hops.emplace();
  s.require("mac", behind.mac, parse_mac, "02:00:00:00:00:01");
  s.require("ip", behind.v4, parse_ip, "198.19.0.1");
  s.read("ip6", behind.v6, parse_ip);
  if (s.given("ip") && !behind.v4.is_v4())
    s.reading().problem(s.find("ip")->where, "is not an IPv4 address", "write it as `ip6`");
  if (s.given("ip6") && behind.v6.is_v4())
    s.reading().problem(s.find("ip6")->where, "is not an IPv6 address", "write it as `ip`");
  if (settings.roles.next_hops.empty())
    s.reading().problem(s.where(), "there are no next hops", "add `next_hops: [p4, p5]`");
  s.close();
}

}  // namespace

SwitchTestConfig read_switch_test(Section s) {
  SwitchTestConfig c;
  c.where = s.where();
  s.read("rig", c.rig, choices::kRig);
  RigPorts ports(s.reading(), c);
  if (const Node* map = s.find("map"); map != nullptr)
    read_map(s.reading(), *map, s.pattern("map"), ports, c.settings.roles);
  else
    s.missing("map", "{A: p0, D: p1}");
  c.settings.roles.more = ports.list(s, "senders");
  c.settings.roles.next_hops = ports.list(s, "next_hops");
  if (const Node* behind = s.find("behind"); behind != nullptr)
    read_behind(Section(s.reading(), *behind, s.pattern("behind")), c.settings);
  s.read("profile", c.settings.effort, choices::kEffort);
  read_sizes(s, c.settings.sizes);
  s.read("plain_udp", c.settings.plain_udp, parse_bool);
  check_sizes(s, c.settings);
  s.read("dscp", c.settings.dscp, integer(0, 63));
  s.read("seed", c.settings.seed, integer(0, UINT64_MAX));
  Time cable = 0;
  if (s.read("cable", cable, time_in(0, kSecond, "the delay of a cable"))) c.settings.cable = cable;
  s.read("soak", c.settings.soak, time_in(kSecond, 31 * 24 * 3600 * kSecond, "the time of the soak test"));
  s.read("allow_storm", c.settings.allow_storm, parse_bool);
  s.read("device", c.device, parse_text);
  s.read("software", c.software, parse_text);
  s.close();
  return c;
}

}  // namespace softfeb::config
