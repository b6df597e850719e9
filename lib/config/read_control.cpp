// SPDX-License-Identifier: BSD-3-Clause
#include "board/profile.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"

#include <bit>

namespace softfeb::config {
namespace {

/// Largest values of the keys `pds`, `mrs` and `qps`. For PDs and MRs, they equal the limits of
/// MetadataServer, whose limit for QPs is higher.
constexpr std::uint64_t kMostPds = 256;
constexpr std::uint64_t kMostMrs = 256;
constexpr std::uint64_t kMostQps = 256;

auto power_of_two(std::uint64_t most) {
  return [=](const std::string& text) {
    auto number = parse_integer(text, 1, most);
    if (number.value && !std::has_single_bit(*number.value)) {
      return Parsed<std::uint64_t>{text + " is not a power of two",
                                   "write 1, 2, 4 … up to " + std::to_string(most)};
    }
    return number;
  };
}

Parsed<std::optional<IpAddress>> parse_listen(const std::string& text) {
  if (text == "none") return std::optional<IpAddress>{};
  const auto ip = IpAddress::parse(text);
  if (!ip) return {'"' + text + "\" is not an IP address", "write for example 127.0.0.1, 0.0.0.0 or none"};
  return std::optional<IpAddress>{*ip};
}

Parsed<std::optional<IpAddress>> parse_remote(const std::string& text) {
  if (text == "0.0.0.0") return std::optional<IpAddress>{};
  auto ip = parse_ip(text);
  if (!ip.value) return ip.failure<std::optional<IpAddress>>();
  if (!ip.value->is_v4()) return {text + " does not fit into the register", "write an IPv4 address"};
  return std::optional<IpAddress>{*ip.value};
}

Parsed<std::string> parse_profile(const std::string& text) {
  if (board::find_profile(text) != nullptr) return text;
  std::string all;
  for (const board::Profile& p : board::profiles()) all += (all.empty() ? "" : ", ") + p.name();
  return {"unknown firmware profile \"" + text + '"', "write one of " + all};
}

void read_allow(Section& s, ControlDraft& draft) {
  const Node* node = s.find("allow");
  if (node == nullptr) return;
  draft.allow_given = true;
  const auto one = [&](const Node& n) {
    IpPrefix network;
    if (s.scalar(n, network, parse_network)) draft.config.allow.push_back(network);
  };
  if (node->kind != Node::Kind::kList) return one(*node);
  for (const Node& n : node->children) one(n);
}

}  // namespace

ControlDraft read_control(Section s) {
  ControlDraft draft;
  ControlConfig& c = draft.config;
  c.where = s.where();
  c.listen = *IpAddress::parse("127.0.0.1");
  s.read("listen", c.listen, parse_listen);
  s.read("registers_port", c.registers_port, integer(1, 65'535));
  s.read("stream_port", c.stream_port, integer(1, 65'535));
  s.read("in_band", c.in_band, parse_bool);
  read_allow(s, draft);
  s.read("max_connects_per_second", c.max_connects_per_second, integer(1, 1'000'000));
  c.profile = board::default_profile().name();
  s.read("profile", c.profile, parse_profile);
  s.read("pds", c.pds, power_of_two(kMostPds));
  s.read("mrs", c.mrs, power_of_two(kMostMrs));
  s.read("qps", c.qps, power_of_two(kMostQps));
  s.read("window", c.window, integer(1, 65'536));
  draft.send_queue_given = s.read("send_queue", c.send_queue, integer(1, 65'536));
  s.read("remote", c.remote, parse_remote);
  s.read("responder", draft.responder, parse_text);
  s.read("slots", c.slots, choices::kDcqcnSlots);
  s.close();
  return draft;
}

}  // namespace softfeb::config
