// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/targets.hpp"
#include "stats/outcome.hpp"

#include <string>
#include <vector>

namespace softfeb::lab {

/// One thing a run must have met. `value` is what was found, `limit` what was allowed.
struct Check {
  std::string name;
  bool held = false;
  std::uint64_t value = 0;
  std::uint64_t limit = 0;
};

struct Judgement {
  std::vector<Check> checks;
  std::vector<std::string> messages;  ///< plain words for what did not hold
  bool held() const;
};

/// Judges a run: every message completed once and in order, every byte right, nothing missing at our
/// receivers, and what the peers said.
Judgement judge(const config::RunConfig& config, const endpoints::Plans& plans, const stats::Outcome& outcome,
                const endpoints::Endpoints& endpoints,
                const std::vector<endpoints::Targets::Session>& sessions);

}  // namespace softfeb::lab
