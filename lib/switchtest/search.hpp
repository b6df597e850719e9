// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace softfeb::switchtest {

class Context;

/// Result of a trial at one point of a search.
enum class Probe : std::uint8_t {
  kPass,
  kFail,
  kVoid,  ///< the rig failed
};

/// Repeats a trial until two results agree, at most five times. Returns kVoid if no two results agree. On a
/// virtual rig, one result is enough.
Probe agreeing(const Context& ctx, const std::function<Probe()>& trial);

/// The points between which a property changes from pass to fail.
struct Bracket {
  std::uint64_t pass = 0;  ///< the largest point that passed
  /// The smallest point that failed; empty if no point up to the limit failed.
  std::optional<std::uint64_t> fail;
  std::optional<std::uint64_t> unreached;  ///< the smallest point at which the rig failed
};

/// Searches for the largest integer from `low` to `high` that passes. Assumes that `low` passes, and tries
/// `high` first. The search continues below a void point as if this point had failed, but Bracket::fail never
/// contains a void point.
Bracket bisect(std::uint64_t low, std::uint64_t high, const std::function<Probe(std::uint64_t)>& probe);

/// Starts at the point `first`, which must not be 0, and doubles the point until a point fails or `limit`
/// passes. Then bisects. Bracket::pass is 0 if no point passed.
Bracket double_and_bisect(std::uint64_t first, std::uint64_t limit,
                          const std::function<Probe(std::uint64_t)>& probe);

}  // namespace softfeb::switchtest
