// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/seen_pauses.hpp"

#include <algorithm>

namespace softfeb::switchtest {

bool learn_pauses(Context& ctx, const TrialResult& result) {
  if (ctx.findings.sends != roce::PauseMode::kOff || result.pauses.empty()) return false;
  const bool pfc = result.pauses.front().control.kind == roce::MacControl::Kind::kPfc;
  ctx.findings.sends = pfc ? roce::PauseMode::kPfc : roce::PauseMode::kPause;
  return true;
}

std::uint64_t count_pauses(const TrialResult& result) {
  return static_cast<std::uint64_t>(
      std::count_if(result.pauses.begin(), result.pauses.end(), [](const PauseSeen& p) {
        return std::any_of(p.control.quanta.begin(), p.control.quanta.end(), [](auto q) { return q != 0; });
      }));
}

}  // namespace softfeb::switchtest
