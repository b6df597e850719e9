// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/targets.hpp"
#include "stats/outcome.hpp"

#include <string>
#include <vector>

namespace softfeb::lab {

/// A check of a run. It held if `value`, the number of violations found, is at most `limit`.
struct Check {
  std::string name;
  bool held = false;
  std::uint64_t value = 0;
  std::uint64_t limit = 0;
};

struct Judgement {
  std::vector<Check> checks;
  std::vector<std::string> messages;  ///< describe what failed
  bool held() const;
};

/// Judges a run: messages complete, all of them, and in order; each arrives exactly once at our receivers,
/// with the right bytes; every next hop is resolved; remote receivers report no error.
Judgement judge(const config::RunConfig& config, const endpoints::Plans& plans, const stats::Outcome& outcome,
                const endpoints::Endpoints& endpoints,
                const std::vector<endpoints::Targets::Session>& sessions);

}  // namespace softfeb::lab
