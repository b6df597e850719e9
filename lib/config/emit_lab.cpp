// SPDX-License-Identifier: BSD-3-Clause
#include "config/emit.hpp"
#include "config/link_ends.hpp"
#include "config/units.hpp"

#include <cmath>

namespace softfeb::config {

Json emit_lab(const LabConfig& config) {
  const LabSettings& lab = config.lab;
  Json json;
  for (const auto& [key, text] :
       {std::pair{"title", lab.title}, {"shows", lab.shows}, {"corresponds", lab.corresponds}}) {
    if (!text.empty()) json[key] = text;
  }
  if (lab.bottleneck) {
    const fabric::LinkConfig& link = config.network.links[*lab.bottleneck];
    const fabric::NodeRef from{fabric::NodeRef::Kind::kSwitch, lab.bottleneck_switch};
    json["bottleneck"] =
        name_of(config.network, from) + '.' + name_of(config.network, link.a == from ? link.b : link.a);
  }
  json["sample_interval"] = format_time(lab.sample_interval);
  json["stolen_limit"] =
      format_probability({static_cast<std::uint32_t>(std::lround(lab.stolen_limit * Probability::kOne))});
  json["checks"] = Json::object();
  for (const LabCheck& check : lab.checks) json["checks"][check.name] = check.text;
  json["sweep"] = Json::array();
  for (const SweepAxis& axis : lab.sweep)
    json["sweep"].push_back({{"key", axis.key}, {"values", axis.values}});
  return json;
}

}  // namespace softfeb::config
