// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/targets.hpp"
#include "stats/outcome.hpp"

#include <string>
#include <vector>

namespace softfeb::lab {

/// A check of a run, and the number of violations that it found (`value`). The check held if this number is
/// at most `limit`.
struct Check {
  std::string name;
  bool held = false;
  std::uint64_t value = 0;
  std::uint64_t limit = 0;
};

struct Judgement {
  std::vector<Check> checks;
  std::vector<std::string> messages;  ///< descriptions of the checks that failed, and remarks on the run
  bool held() const;
};

/// Judges a run by these checks: All messages are complete, and were completed in order. Each message arrived
/// exactly once at receivers of this process, with the right bytes; for windows and events, the loss is
/// within the receiver's limit. Every next hop is resolved, and no congestion control has failed. The
/// receiver was notified of each complete registered transfer. Event files contain all closed events. Remote
/// receivers report no error. Every fault rule was hit; if `of_lab` is true, this last check is omitted,
/// because the checks of the experiment include it (judge.hpp).
Judgement judge(const config::RunConfig& config, const endpoints::Plans& plans, const stats::Outcome& outcome,
                const endpoints::Endpoints& endpoints,
                const std::vector<endpoints::Targets::Session>& sessions, bool of_lab = false);

}  // namespace softfeb::lab
