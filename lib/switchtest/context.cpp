// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"

#include "base/rng.hpp"

#include <utility>

namespace softfeb::switchtest {

Context::Context(Rig& r, const Settings& s, Findings& f, TestReport& t)
    : rig(r), settings(s), findings(f), report(t) {}

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

TrialResult Context::run(const Trial& trial) {
  TrialResult result = rig.run(trial);
  ++trials_;
  if (!result.valid()) {
    ++void_;
    void_reason_ = result.void_reason;
  }
  return result;
}

std::optional<TrialResult> Context::run_valid(const Trial& trial) {
  constexpr int kAttempts = 5;
  for (int i = 0; i < kAttempts; ++i) {
    TrialResult result = run(trial);
    if (result.valid()) return result;
  }
  return std::nullopt;
}

Figure& Context::add(Figure figure) {
  figure.trials = trials_;
  figure.void_trials = void_;
  report.figures.push_back(std::move(figure));
  return report.figures.back();
}

}  // namespace softfeb::switchtest
