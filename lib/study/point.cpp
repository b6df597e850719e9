// SPDX-License-Identifier: BSD-3-Clause
#include "study/point.hpp"

#include "config/load.hpp"
#include "lab/checks.hpp"
#include "lab/judge.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <isa-l/crc64.h>

namespace softfeb::study {

namespace {

using config::LimitUnit;

constexpr std::array<Measure, 11> kAllMeasures{{
    {"jain_min", LimitUnit::kShare, "fairness_jain", 1},
    {"port_used_min", LimitUnit::kShare, "port_used", 1},
    {"queue_bytes_max", LimitUnit::kBytes, "queue_bytes_max", 1},
    {"queue_bytes_mean", LimitUnit::kBytes, "queue_bytes_mean", 1},
    {"dropped", LimitUnit::kCount, "dropped", 1},
    {"pause_tx", LimitUnit::kCount, "pause_tx", 1},
    {"convergence_ms", LimitUnit::kTime, "convergence", 1e3},
    {"retransmitted", LimitUnit::kCount, "retransmitted", 1},
    {"demand_met", LimitUnit::kShare, "demand_met", 1},
    {"goodput_gbps", LimitUnit::kTime, nullptr, 1},
    {"latency_us", LimitUnit::kTime, nullptr, 1},
}};

std::optional<double> value_in(const PointRun& run, const Measure& m) {
  if (!run.done) return std::nullopt;
  if (m.check == nullptr)
    return std::string_view(m.name) == "goodput_gbps" ? run.goodput_gbps : run.latency_us;
  const auto v = lab::value_of(m.check, run.run.figures);
  if (!v || std::isinf(*v)) return std::nullopt;
  return *v * m.scale;
}

Json number(const std::optional<double>& value, LimitUnit unit) {
  if (!value) return nullptr;
  const bool counted = unit == LimitUnit::kBytes || unit == LimitUnit::kCount;
  return counted && std::trunc(*value) == *value ? Json(static_cast<std::uint64_t>(*value)) : Json(*value);
}

std::uint64_t add_to_hash(std::uint64_t hash, std::string_view text) {
  return crc64_ecma_refl(hash, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

/// Adds the names of the files that a configuration reads. The key of a point must also depend on the
/// contents of these files, which may change while the names stay the same. Each file counts once, in the
/// order of the names.
void list_files(const Json& node, std::set<std::string>& names) {
  for (const auto& [key, value] : node.items()) {
    if (key == "capture") continue;  // written, not read
    if (value.is_string() && (key == "plugin" || key == "file" || key == "lengths"))
      names.insert(value.get<std::string>());
    if (value.is_structured()) list_files(value, names);
  }
}

std::uint64_t add_files(std::uint64_t hash, const Json& config) {
  std::set<std::string> names;
  list_files(config, names);
  for (const std::string& name : names) {
    std::ifstream file(name, std::ios::binary);
    if (file) hash = add_to_hash(hash, std::string(std::istreambuf_iterator<char>(file), {}));
  }
  return hash;
}

}  // namespace

const Measure* Measures::begin() const { return kAllMeasures.data(); }
const Measure* Measures::end() const { return kAllMeasures.data() + kAllMeasures.size(); }

Json point_json(const Grid& grid, std::size_t point, const PointRun& run) {
  const std::vector<std::string> own = grid.values(point);
  Json values = Json::object();
  for (std::size_t a = 0; a < own.size(); ++a) values[grid.axes()[a].key] = own[a];
  Json out{{"values", std::move(values)}};
  for (const Measure& m : kMeasures) out[m.name] = number(value_in(run, m), m.unit);
  out["verdict"] = run.done ? Json(lab::to_string(run.run.verdict)) : Json(nullptr);
  if (!run.error.empty()) out["error"] = run.error;
  Json failed = Json::array();
  for (const lab::CheckResult& c : run.run.checks) {
    if (run.done && !c.held) failed.push_back(c.name);
  }
  if (!failed.empty()) out["failed_checks"] = std::move(failed);
  return out;
}

bool held(const Json& point) {
  const auto verdict = point.find("verdict");
  return verdict != point.end() && *verdict == lab::to_string(lab::Verdict::kHeld);
}

std::optional<double> measured(const Json& point, const Measure& measure) {
  const auto value = point.find(measure.name);
  if (value == point.end() || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::string point_key(const config::LabConfig& config, const std::string& version) {
  const Json json = config::to_json(config);
  std::uint64_t hash = add_to_hash(0, version);
  hash = add_to_hash(hash, json.dump());
  return fmt::format("{:016x}", add_files(hash, json));
}

}  // namespace softfeb::study
