// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/search.hpp"

#include "switchtest/context.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

/// Updates the bracket with the result of a point. Returns true if the point passed.
bool note(Bracket& bracket, std::uint64_t point, Probe result) {
  if (result == Probe::kPass) {
    bracket.pass = point;
    return true;
  }
  auto& bound = result == Probe::kFail ? bracket.fail : bracket.unreached;
  bound = bound ? std::min(*bound, point) : point;
  return false;
}

/// If the rig itself limits a search (Bracket::unreached), the search finds this limit to within
/// 1/kRigAccuracy of its value. Such a limit varies, so a more accurate search would make no sense.
constexpr std::uint64_t kRigAccuracy = 64;

void narrow(Bracket& bracket, std::uint64_t high, const std::function<Probe(std::uint64_t)>& probe) {
  while (high - bracket.pass > 1) {
    const bool rig_limit = high == bracket.unreached;
    if (rig_limit && high - bracket.pass <= high / kRigAccuracy) return;
    const std::uint64_t middle = bracket.pass + (high - bracket.pass) / 2;
    if (!note(bracket, middle, probe(middle))) high = middle;
  }
}

}  // namespace

Probe agreeing(const Context& ctx, const std::function<Probe()>& trial) {
  constexpr int kMost = 5;
  const Probe first = trial();
  // Do not repeat a void result: such a trial has already been repeated, and further attempts would take just
  // as long.
  if (ctx.exact() || first == Probe::kVoid) return first;
  unsigned passed = first == Probe::kPass ? 1 : 0, failed = first == Probe::kFail ? 1 : 0;
  for (int i = 1; i < kMost; ++i) {
    const Probe result = trial();
    if (result == Probe::kPass && ++passed == 2) return result;
    if (result == Probe::kFail && ++failed == 2) return result;
  }
  return Probe::kVoid;
}

Bracket bisect(std::uint64_t low, std::uint64_t high, const std::function<Probe(std::uint64_t)>& probe) {
  Bracket out{.pass = low};
  if (high <= low || note(out, high, probe(high))) return out;
  narrow(out, high, probe);
  return out;
}

Bracket double_and_bisect(std::uint64_t first, std::uint64_t limit,
                          const std::function<Probe(std::uint64_t)>& probe) {
  Bracket out;
  for (std::uint64_t point = std::min(first, limit);; point = std::min(2 * point, limit)) {
    if (!note(out, point, probe(point))) {
      narrow(out, point, probe);
      return out;
    }
    if (point == limit) return out;
  }
}

}  // namespace softfeb::switchtest
