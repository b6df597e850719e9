// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/choices.hpp"
#include "config/emit.hpp"

namespace softfeb::config {

Json emit_control(const RunConfig& config, const ControlConfig& c) {
  Json json;
  json["listen"] = c.listen ? to_string(*c.listen) : "none";
  json["registers_port"] = c.registers_port;
  json["stream_port"] = c.stream_port;
  json["in_band"] = c.in_band;
  json["allow"] = Json::array();
  for (const IpPrefix& network : c.allow) json["allow"].push_back(to_string(network));
  json["max_connects_per_second"] = c.max_connects_per_second;
  json["profile"] = c.profile;
  json["pds"] = c.pds;
  json["mrs"] = c.mrs;
  json["qps"] = c.qps;
  json["send_queue"] = c.send_queue;
  json["window"] = c.window;
  json["remote"] = c.remote ? to_string(*c.remote) : "0.0.0.0";
  if (c.responder) json["responder"] = config.receivers[*c.responder].endpoint.name;
  json["slots"] = choices::kDcqcnSlots.name(c.slots);
  return json;
}

}  // namespace softfeb::config
