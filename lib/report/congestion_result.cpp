// SPDX-License-Identifier: BSD-3-Clause
#include "report/congestion_result.hpp"

#include "report/result_qps.hpp"

#include <cstdint>
#include <iterator>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;
using stats::ControlMean;
using stats::ControlState;

constexpr double kResultUs = 1e6;  // microseconds per second

/// A quantity that some algorithms have.
struct Quantity {
  const char* name;
  ControlMean ControlState::*value;
  double factor = 1;  ///< factor from the unit of ControlState to the unit of the result
  bool whole = false;
};

constexpr Quantity kQuantities[] = {
    {"window_bytes", &ControlState::window},
    {"rtt_us", &ControlState::rtt, kResultUs},
    {"target_delay_us", &ControlState::target_delay, kResultUs},
    {"utilization", &ControlState::utilization},
    {"granted_packets", &ControlState::granted, 1, true},
};

}  // namespace

Json congestion_result(const config::CongestionConfig& congestion, const ControlState& state) {
  Json out{{"algorithm", congestion.name()}};
  for (const Quantity& q : kQuantities) {
    const std::optional<double> value = (state.*q.value).mean();
    if (!value) continue;
    if (q.whole) {
      out[q.name] = static_cast<std::uint64_t>(*value);
    } else {
      out[q.name] = *value * q.factor;
    }
  }
  return out;
}

void add_plugin_state(Json& result, const congestion::CongestionState& state) {
  for (std::size_t i = 0; i < state.counter_count; ++i)
    result["counters"][std::string(state.counter_names[i].name)] = state.counters[i];
  if (state.failure != nullptr) result["failure"] = state.failure;
}

void CongestionSummary::add(const config::CongestionConfig& congestion, const ControlState& state) {
  const std::string name = congestion.name();
  mixed_ = mixed_ || (algorithm_ && *algorithm_ != name);
  algorithm_ = name;
  values_.resize(std::size(kQuantities));
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Quantity& q = kQuantities[i];
    if (const auto value = (state.*q.value).mean()) values_[i].push_back(*value * q.factor);
  }
}

Json CongestionSummary::json() const {
  Json out{{"algorithm", algorithm_ && !mixed_ ? Json(*algorithm_) : Json()}};
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!values_[i].empty()) out[kQuantities[i].name] = spread(values_[i]);
  }
  return out;
}

}  // namespace softfeb::report
