// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace softfeb::switchtest {

class Context;

/// What a trial says about one point of a search.
enum class Probe : std::uint8_t {
  kPass,
  kFail,
  kVoid,  ///< the rig failed
};

/// Repeats a trial until two results agree, at most five times; kVoid if none agree. With an exact rig, one
/// result is enough.
Probe agreeing(const Context& ctx, const std::function<Probe()>& trial);

/// Where a property changes from pass to fail.
struct Bracket {
  std::uint64_t pass = 0;             ///< the largest point that passed
  std::optional<std::uint64_t> fail;  ///< the smallest point that failed; nullopt: none up to the limit did
  std::optional<std::uint64_t> unreached;  ///< the smallest point at which the rig failed
};

/// Finds the largest point between `low`, which is taken to pass, and `high` that passes, in steps of 1.
/// Tries `high` first. Void points count as failed, but only for the search.
Bracket bisect(std::uint64_t low, std::uint64_t high, const std::function<Probe(std::uint64_t)>& probe);

/// Doubles from `first` until a point fails or `limit` passes, and bisects. `first` = 0 is not permitted.
/// Bracket::pass is 0 if every point failed.
Bracket double_and_bisect(std::uint64_t first, std::uint64_t limit,
                          const std::function<Probe(std::uint64_t)>& probe);

}  // namespace softfeb::switchtest
