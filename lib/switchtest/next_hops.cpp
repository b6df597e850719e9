// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/next_hops.hpp"

#include "switchtest/estimators.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace softfeb::switchtest {

namespace {

constexpr std::uint64_t kFramesPerFlow = 8;

}  // namespace

/// Returns a trial with several frames of each flow, at 10 % of the rate of the slowest link, so that no
/// frames are lost.
Trial NextHops::make_trial(const std::vector<Flow>& flows) {
  constexpr std::uint32_t kSize = 130;
  Trial out = ctx_.trial();
  Source source{.port = ctx_.roles().a, .count = flows.size() * kFramesPerFlow};
  for (const Flow& flow : flows) {
    FrameKind kind = ctx_.frame(hops_.front(), kSize);
    kind.destination = ctx_.settings.behind_next_hops;
    kind.record = true;
    flow.apply(kind);
    source.kinds.push_back(static_cast<std::uint16_t>(out.kinds.size()));
    out.kinds.push_back(kind);
  }
  std::uint64_t slowest = ctx_.rate(ctx_.roles().a);
  for (const std::uint16_t hop : hops_) slowest = std::min(slowest, ctx_.rate(hop));
  source.gap = 10 * time_on_wire(kSize - kFcsSize, slowest);
  out.end = source.count * source.gap + 10 * ctx_.rig.settle();
  out.sources.push_back(std::move(source));
  return out;
}

NextHops::Seen NextHops::sort(const TrialResult& result, std::size_t flows) const {
  Seen out;
  out.by_flow.flows.assign(hops_.size(), 0);
  out.by_frame.assign(hops_.size(), 0);
  std::vector<std::set<std::size_t>> paths(flows);
  for (const Arrival& a : result.arrivals) {
    const auto hop = std::find(hops_.begin(), hops_.end(), a.port);
    if (hop == hops_.end()) continue;
    const auto path = static_cast<std::size_t>(hop - hops_.begin());
    ++out.by_frame[path];
    if (paths[a.kind].empty()) ++out.by_flow.flows[path];
    paths[a.kind].insert(path);
  }
  for (const auto& of_flow : paths) {
    if (!of_flow.empty()) ++out.flows;
    if (of_flow.size() > 1) ++out.several;
  }
  return out;
}

std::optional<NextHops::Seen> NextHops::send(FlowField field) {
  constexpr std::uint32_t kFlows = 1'024, kQuickFlows = 256;
  const std::vector<Flow> flows = flows_by(field, ctx_.quick() ? kQuickFlows : kFlows);
  const auto result = ctx_.run_valid(make_trial(flows));
  if (!result) {
    ctx_.inconclusive();
    return std::nullopt;
  }
  Seen out = sort(*result, flows.size());
  out.by_flow.field = word(field);
  if (out.flows * 20 < flows.size() * 19) {
    ctx_.unresolvable("only " + std::to_string(out.flows) + " of " + std::to_string(flows.size()) +
                      " flows arrived at a next hop");
    return std::nullopt;
  }
  return out;
}

void NextHops::report(const std::vector<Seen>& seen) {
  std::uint64_t flows = 0, several = 0;
  std::vector<std::uint64_t> frames(hops_.size());
  std::vector<FlowsByPath> by_field;
  for (const Seen& s : seen) {
    flows += s.flows;
    several += s.several;
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i] += s.by_frame[i];
    by_field.push_back(s.by_flow);
  }
  const FlowsByPath sprayed{"none", frames};
  if (sprayed.used() < 2)
    return report_one_path(ctx_, "all frames go to one of the next hops, whichever field differs");
  report_path_count(ctx_, sprayed.used());
  report_per_packet(ctx_, wilson(several, flows), Method::kMean);
  if (2 * several > flows) {
    ctx_.add_without_value("fields", Status::kAbsent,
                           "the switch chooses a path for each frame, not for each flow");
    return report_spread(ctx_, sprayed);
  }
  if (!report_fields(ctx_, by_field))
    ctx_.add_without_value("fields", Status::kUnresolvable,
                           "the path changed during the test, but not with any of the fields");
  for (const FlowsByPath& f : by_field) report_spread(ctx_, f);
}

void NextHops::run() {
  std::vector<Seen> seen;
  for (const FlowField field : kFlowFields) {
    auto one = send(field);
    if (!one) return;
    seen.push_back(std::move(*one));
  }
  report(seen);
}

}  // namespace softfeb::switchtest
