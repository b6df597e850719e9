// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::switchtest {

namespace {

TrialRecord record_of(const TrialResult& result, Time at) {
  TrialRecord out{.at = at,
                  .pauses = result.pauses.size(),
                  .late = result.late_max,
                  .time_error = result.time_error,
                  .void_reason = result.void_reason};
  for (const KindStats& k : result.kinds)
    out.kinds.push_back({k.sent, k.arrived, k.duplicated, k.reordered, k.damaged, k.ecn});
  return out;
}

}  // namespace

Context::Context(Rig& r, const Settings& s, Findings& f, TestReport& t)
    : rig(r), settings(s), findings(f), report(t) {}

unsigned Context::repetitions(unsigned standard) const {
  constexpr unsigned kFewest = 3;
  if (exact()) return 1;
  return quick() ? std::min(standard, std::max(kFewest, standard / 10)) : standard;
}

Time Context::duration(Time standard, Time rfc) const {
  constexpr Time kQuickPart = 50, kVirtualPart = 10;
  Time out = standard;
  if (quick()) out = standard / kQuickPart;
  if (settings.effort == Effort::kRfc) out = rfc;
  return exact() ? out / kVirtualPart : out;
}

Trial Context::trial() const {
  Trial out;
  out.obeyed = findings.sends;
  for (std::size_t dscp = 0; dscp < findings.priority_of_dscp.size(); ++dscp)
    if (findings.priority_of_dscp[dscp]) out.priority_of_dscp[dscp] = *findings.priority_of_dscp[dscp];
  return out;
}

std::uint64_t Context::seed() {
  std::uint64_t name = 0;
  for (const char c : report.name) name = name * 31 + static_cast<unsigned char>(c);
  return Rng::mixed(settings.seed, name, seeds_++);
}

FrameKind Context::frame(std::uint16_t to, std::uint32_t with_fcs) const {
  FrameKind out;
  out.to = to;
  out.length = with_fcs - kFcsSize;
  out.dscp = settings.dscp;
  out.plain_udp = settings.plain_udp || out.length > kLargestRoceFrame || out.length < kSmallestRoceFrame ||
                  (out.length - kSmallestRoceFrame) % 4 != 0;
  return out;
}

std::uint32_t Context::large_size(std::uint16_t from, std::uint16_t to) const {
  std::uint32_t limit = std::min(rig.ports()[from].largest_frame, rig.ports()[to].largest_frame);
  if (findings.largest_frame) limit = std::min(limit, *findings.largest_frame);
  for (const std::uint32_t size : {4174U, 2126U, 1518U, 1026U, 514U})
    if (size - kFcsSize <= limit) return size;
  return 258;
}

std::vector<std::uint32_t> Context::sizes(std::uint16_t from, std::uint16_t to) const {
  constexpr std::size_t kQuickSizes = 3;
  std::vector<std::uint32_t> out;
  for (const std::uint32_t size : settings.sizes)
    if (size <= large_size(from, to)) out.push_back(size);
  if (exact() || !quick() || out.size() <= kQuickSizes) return out;
  std::sort(out.begin(), out.end());
  return {out.front(), out[out.size() / 2], out.back()};
}

TrialResult Context::run(const Trial& trial) {
  TrialResult result = rig.run(trial);
  ++trials_;
  report.trials.push_back(record_of(result, rig.now()));
  if (!result.valid()) {
    ++void_;
    void_reason_ = result.void_reason;
  }
  return result;
}

std::optional<TrialResult> Context::run_valid(const Trial& trial) {
  return run_valid(trial, [](const TrialResult&) { return std::string(); });
}

std::optional<TrialResult> Context::run_valid(const Trial& trial,
                                              const std::function<std::string(const TrialResult&)>& flaw) {
  constexpr int kAttempts = 5;
  for (int i = 0; i < kAttempts; ++i) {
    TrialResult result = run(trial);
    if (!result.valid()) continue;
    const std::string reason = flaw(result);
    if (reason.empty()) return result;
    reject(reason);
  }
  return std::nullopt;
}

void Context::reject(const std::string& reason) {
  ++void_;
  report.trials.back().void_reason = void_reason_ = reason;
}

Figure& Context::add(Figure figure) {
  figure.trials = trials_;
  figure.void_trials = void_;
  report.figures.push_back(std::move(figure));
  return report.figures.back();
}

Figure& Context::add_without_value(std::string name, Status status, std::string reason) {
  return add({.name = std::move(name), .status = status, .reason = std::move(reason)});
}

void Context::unresolvable(std::string reason) {
  report.status = Status::kUnresolvable;
  report.reason = std::move(reason);
}

void Context::inconclusive() {
  report.status = Status::kInconclusive;
  report.reason = "too many trials were void; the last one because " + void_reason_;
}

}  // namespace softfeb::switchtest
