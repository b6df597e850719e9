// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/choices.hpp"
#include "config/emit.hpp"
#include "config/units.hpp"

#include <nlohmann/json.hpp>

namespace softfeb::config {

namespace {

/// Emits the ports of the roles. A port with several roles is written only once, because the loader assigns
/// the missing roles again.
Json emit_map(const SwitchTestConfig& c) {
  const switchtest::Roles& roles = c.settings.roles;
  Json json;
  json["A"] = c.ports[roles.a];
  if (roles.b && roles.b != roles.c) json["B"] = c.ports[*roles.b];
  if (roles.c) json["C"] = c.ports[*roles.c];
  json["D"] = c.ports[roles.d];
  if (roles.e && roles.e != roles.c) json["E"] = c.ports[*roles.e];
  return json;
}

Json emit_names(const SwitchTestConfig& c, const std::vector<std::uint16_t>& ports) {
  Json json = Json::array();
  for (const std::uint16_t port : ports) json.push_back(c.ports[port]);
  return json;
}

}  // namespace

Json emit_switch_test(const SwitchTestConfig& c) {
  Json json;
  json["rig"] = choices::kRig.name(c.rig);
  json["map"] = emit_map(c);
  if (!c.settings.roles.more.empty()) json["senders"] = emit_names(c, c.settings.roles.more);
  if (!c.settings.roles.next_hops.empty()) json["next_hops"] = emit_names(c, c.settings.roles.next_hops);
  if (const auto& behind = c.settings.behind_next_hops) {
    json["behind"] = {{"mac", to_string(behind->mac)}, {"ip", to_string(behind->v4)}};
    if (behind->v6 != roce::IpAddress()) json["behind"]["ip6"] = to_string(behind->v6);
  }
  json["profile"] = choices::kEffort.name(c.settings.effort);
  json["sizes"] = c.settings.sizes;
  json["plain_udp"] = c.settings.plain_udp;
  json["dscp"] = c.settings.dscp;
  json["seed"] = c.settings.seed;
  if (c.settings.cable) json["cable"] = format_time(*c.settings.cable);
  json["soak"] = format_time(c.settings.soak);
  json["allow_storm"] = c.settings.allow_storm;
  if (!c.device.empty()) json["device"] = c.device;
  if (!c.software.empty()) json["software"] = c.software;
  return json;
}

}  // namespace softfeb::config
