// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "config/run_config.hpp"

#include <vector>

#include <nlohmann/json.hpp>

/// Parts of to_json(), one per section.
namespace softfeb::config {

using Json = nlohmann::ordered_json;

Json emit_port(const PortConfig& port);
Json emit_faults(const FaultConfig& faults);
/// Adds fault rules, and the limits of the packets that they hold, to a section `faults`.
void emit_rules(Json& json, const std::vector<FaultRuleConfig>& rules, const faults::HoldLimits& hold);
Json emit_endpoint(const RunConfig& config, const EndpointConfig& endpoint);
Json emit_congestion(const CongestionConfig& congestion);
Json emit_control(const RunConfig& config, const ControlConfig& control);
Json emit_conformance(const ConformanceConfig& config);
Json emit_switch_test(const SwitchTestConfig& config);
Json emit_lab(const LabConfig& config);
Json emit_network(const LabConfig& config);
Json emit_trigger(const TriggerConfig& trigger);
Json emit_events(const RunConfig& config, const BoardEventsConfig& events);
Json emit_events(const ReceiverEventsConfig& events);
Json emit_streams(const StreamsConfig& streams);
Json emit_traffic_gen(const RunConfig& config, const TrafficGenConfig& traffic_gen);
Json emit_qp(const RunConfig& config, const QpConfig& qp);

}  // namespace softfeb::config
