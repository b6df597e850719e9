// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/fabric_paths.hpp"

#include "switchtest/flow_fields.hpp"

#include <algorithm>

namespace softfeb::switchtest {

/// Returns a PathFinder that has already compared some flows that differ in all fields. Returns std::nullopt
/// if no trial was valid.
std::optional<PathFinder> FabricPaths::find_paths(unsigned percent) {
  constexpr std::uint32_t kCandidates = 128, kFlows = 64;
  PathFinder out(
      [this, percent](const std::vector<FlowPair>& pairs) { return links_.shared(pairs, percent); },
      random_flows(kCandidates, ctx_.seed()));
  if (!out.paths_of(random_flows(kFlows, ctx_.seed()))) return std::nullopt;
  return out;
}

/// Compares flows that differ in one field only. Adds one entry to paths_ for each field.
bool FabricPaths::compare_by_field(PathFinder& finder) {
  constexpr std::uint32_t kFlows = 256, kQuickFlows = 64, kFewFlows = 24;
  for (const FlowField field : kFlowFields) {
    const std::vector<Flow> all = flows_by(field, ctx_.quick() ? kQuickFlows : kFlows);
    std::vector<Flow> few;
    for (std::uint32_t i = 0; i < kFewFlows; ++i) few.push_back(all[i * all.size() / kFewFlows]);
    // If the field affects the path, these few flows almost certainly use different paths: the probability
    // that all 24 take the same one of two paths is 10^-7.
    auto found = finder.paths_of(few);
    if (found &&
        std::any_of(found->begin(), found->end(), [&](std::size_t p) { return p != found->front(); }))
      found = finder.paths_of(all);
    if (!found) return false;
    paths_.push_back(std::move(*found));
  }
  return true;
}

std::vector<FlowsByPath> FabricPaths::spread_by_field(const PathFinder& finder) const {
  std::vector<FlowsByPath> out;
  for (std::size_t f = 0; f < kFlowFields.size(); ++f) {
    out.push_back({word(kFlowFields[f]), std::vector<std::uint64_t>(finder.paths())});
    for (const std::size_t path : paths_[f])
      if (path != PathFinder::kUnknown) ++out.back().flows[path];
  }
  return out;
}

std::size_t FabricPaths::unplaced() const {
  std::size_t out = 0;
  for (const auto& of_field : paths_)
    out += static_cast<std::size_t>(std::count(of_field.begin(), of_field.end(), PathFinder::kUnknown));
  return out;
}

void FabricPaths::report_spraying() {
  report_per_packet(ctx_, {1, 1, 1}, Method::kOrder);
  ctx_.add_without_value(
      "fields", Status::kAbsent,
      "short frames of a flow overtake long ones of the same flow, so the switch chooses a "
      "path for each frame");
  for (const char* const name : {"paths", "mmr", "jain", "p_value"})
    ctx_.add_without_value(name, Status::kUnresolvable,
                           "no frame shows which link inside the fabric it took; use ports as next hops");
}

void FabricPaths::run() {
  if (!links_.measure()) {
    if (ctx_.last_void_reason().empty()) return ctx_.unresolvable("no frames arrive at ports D and E");
    return ctx_.inconclusive();
  }
  const auto overtaken = links_.overtaken();
  if (!overtaken) return ctx_.inconclusive();
  if (*overtaken > 0.01) return report_spraying();
  // Two flows at 60 % load reveal shared links that are as fast as a port. Two flows at 100 % load also
  // reveal shared links that are a little faster.
  auto finder = find_paths(60);
  if (finder && finder->paths() == 0) finder = find_paths(100);
  if (!finder) return ctx_.inconclusive();
  if (finder->paths() == 0)
    return report_one_path(
        ctx_,
        "no two flows between different ports disturb each other: between the ports, there "
        "is no link that is slower than two of them together");
  if (!compare_by_field(*finder)) return ctx_.inconclusive();
  if (100 * finder->ambiguous() > finder->compared())
    return ctx_.unresolvable(
        "flows share links with flows on different paths: the fabric has several stages with narrow links");
  if (finder->paths() == 1 && unplaced() == 0) return report_one_path(ctx_, "all flows take the same path");
  report_path_count(ctx_, finder->paths(), unplaced());
  report_per_packet(ctx_, {0, 0, 0}, Method::kOrder);
  const std::vector<FlowsByPath> by_field = spread_by_field(*finder);
  if (!report_fields(ctx_, by_field))
    ctx_.add_without_value("fields", Status::kUnresolvable,
                           "flows take different paths only if several of the fields differ");
  for (const FlowsByPath& f : by_field) report_spread(ctx_, f);
}

}  // namespace softfeb::switchtest
