// SPDX-License-Identifier: BSD-3-Clause
#include "config/draft.hpp"
#include "config/units.hpp"

#include <algorithm>

namespace softfeb::config {
namespace {

constexpr std::uint64_t kMostQueuePairs = 16'384;

auto integer_in(std::uint64_t low, std::uint64_t high) {
  return [=](const std::string& text) { return parse_integer(text, low, high); };
}

Parsed<std::uint64_t> parse_path_mtu(const std::string& text) {
  for (const char* one : {"256", "512", "1024", "2048", "4096"}) {
    if (text == one) return parse_integer(text, 256, 4096);
  }
  return {text + " is not a path MTU", "write 256, 512, 1024, 2048 or 4096"};
}

Parsed<std::string> parse_target(const std::string& text) {
  const auto begins = [&](std::string_view with) { return text.substr(0, with.size()) == with; };
  if (text == "own:" || text == "own:virtual" || text == kListedTarget || begins("sink://") ||
      begins("perftest://"))
    return text;
  return {'"' + text + "\" is not a target",
          "write sink://HOST, perftest://HOST, own:, own:virtual, or listed (the queue pairs of `qps`)"};
}

ListedQp read_listed(Section s) {
  ListedQp qp;
  s.require("qpn", qp.qpn, integer_in(2, 0xff'ffff), "0x12");
  s.require("dest_qpn", qp.dest_qpn, integer_in(2, 0xff'ffff), "0x100");
  s.require("psn", qp.psn, integer_in(0, 0xff'ffff), "0");
  s.require("rkey", qp.rkey, integer_in(0, UINT32_MAX), "0x1234");
  s.require("address", qp.address, integer_in(0, UINT64_MAX), "0x7f0000001000");
  s.require("length", qp.length, parse_size, "1MiB");
  s.close();
  return qp;
}

/// Chooses a default target if the section names none, and reports keys that do not apply to the target.
void check_target(Section& s, ConformanceConfig& c) {
  const auto refuse = [&](const char* key, const char* what, const char* fix) {
    s.reading().problem(s.given(key) ? s.find(key)->where : s.where(), what, fix);
  };
  if (s.given("target") && c.target.empty()) return;  // the target was invalid, which has been reported
  if (c.target.empty() && c.qps.empty())
    refuse("target", "the section names no target", "add for example `target: sink://HOST`, or a list `qps`");
  if (c.target.empty()) c.target = kListedTarget;
  const bool listed = c.target == kListedTarget;
  if (listed && c.qps.empty())
    refuse("target", "there are no listed queue pairs", "add a list `qps`, or name another target");
  if (listed && !c.ip) refuse("ip", "`qps` need the address of the target", "add `ip: 10.0.0.2`");
  if (c.ip6.has_value() != c.target_ip6.has_value())
    refuse("ip6", "`ip6` and `target_ip6` belong together", "give both, or none");
}

}  // namespace

ConformanceConfig read_conformance(Section s) {
  ConformanceConfig c;
  c.where = s.where();
  s.read("target", c.target, parse_target);
  s.read("ip", c.ip, parse_ip);
  s.read("mac", c.mac, parse_mac);
  for (const Node& qp : s.list("qps"))
    c.qps.push_back(read_listed(Section(s.reading(), qp, s.pattern("qps") + "[]")));
  s.read("queue_pairs", c.queue_pairs, integer_in(4, kMostQueuePairs));
  s.read("pmtu", c.pmtu, parse_path_mtu);
  s.read("profile", c.profile, parse_text);
  for (const Node& name : s.list("cases")) s.scalar(name, c.cases.emplace_back(), parse_text);
  s.read("second_ip", c.second_ip, parse_ip);
  s.read("ip6", c.ip6, parse_ip_prefix);
  s.read("target_ip6", c.target_ip6, parse_ip);
  s.read("attempts", c.attempts, integer_in(1, 100));
  s.read("time_limit", c.time_limit, parse_time);
  s.close();
  check_target(s, c);
  return c;
}

}  // namespace softfeb::config
