// SPDX-License-Identifier: BSD-3-Clause
#include "report/spread_result.hpp"

#include "fabric/names.hpp"

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

Json share_or_null(const std::optional<lab::Share>& s) {
  return s ? Json(lab::to_double(*s)) : Json(nullptr);
}

}  // namespace

Json spread_json(const config::LabConfig& config, const std::vector<lab::Spread>& spreads) {
  Json list = Json::array();
  for (const lab::Spread& spread : spreads) {
    const std::uint32_t sw = spread.ports.front().switch_index;
    const std::string& name = config.network.switches[sw].name;
    Json ports = Json::array();
    for (const fabric::NextHopSnapshot& port : spread.ports) {
      const std::string peer =
          fabric::peer_name(config.network, {fabric::NodeRef::Kind::kSwitch, sw}, port.link);
      ports.push_back(
          {{"name", name + '.' + peer}, {"packets", port.packets}, {"wire_bytes", port.wire_bytes}});
    }
    list.push_back({{"switch", name},
                    {"jain", share_or_null(spread.jain)},
                    {"max_mean", share_or_null(spread.max_mean)},
                    {"ports", std::move(ports)}});
  }
  return list;
}

}  // namespace softfeb::report
