// SPDX-License-Identifier: BSD-3-Clause
#include "config/emit.hpp"
#include "config/units.hpp"

namespace softfeb::config {

namespace {

Json emit_listed(const ListedQp& qp) {
  return {{"qpn", qp.qpn},   {"dest_qpn", qp.dest_qpn}, {"psn", qp.psn},
          {"rkey", qp.rkey}, {"address", qp.address},   {"length", format_size(qp.length)}};
}

}  // namespace

Json emit_conformance(const ConformanceConfig& c) {
  Json json;
  if (!c.target.empty()) json["target"] = c.target;
  if (c.ip) json["ip"] = to_string(*c.ip);
  if (c.mac) json["mac"] = to_string(*c.mac);
  for (const ListedQp& qp : c.qps) json["qps"].push_back(emit_listed(qp));
  json["queue_pairs"] = c.queue_pairs;
  json["pmtu"] = c.pmtu;
  json["profile"] = c.profile;
  if (!c.cases.empty()) json["cases"] = c.cases;
  if (c.second_ip) json["second_ip"] = to_string(*c.second_ip);
  if (c.ip6) json["ip6"] = to_string(*c.ip6);
  if (c.target_ip6) json["target_ip6"] = to_string(*c.target_ip6);
  json["attempts"] = c.attempts;
  if (c.time_limit) json["time_limit"] = format_time(*c.time_limit);
  return json;
}

}  // namespace softfeb::config
