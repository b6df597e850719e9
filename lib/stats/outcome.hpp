// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/worker_stats.hpp"
#include "engine/snapshot.hpp"
#include "fabric/snapshot.hpp"
#include "stats/delivery.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::stats {

/// Goodput that a remote receiver measured.
struct ReportedGoodput {
  double seconds = 0;  ///< from its first to its last completion
  double gbps = 0;     ///< payload in that time
};

/// What a run gave: counters at three moments, and how it ended. Times are on the run's clock.
struct Outcome {
  Time started = 0;        ///< traffic began
  double start_up_s = 0;   ///< from the program's execution until it could
  Time measured_from = 0;  ///< end of the warm-up
  Time stopped = 0;  ///< traffic ended: the last message was made, the duration was over, or a signal came
  Time ended = 0;    ///< everything is drained
  bool interrupted = false;
  bool flushed = false;          ///< requests were still outstanding when the drain timeout was over
  bool ended_in_warmup = false;  ///< then the figures are of the whole run
  std::vector<engine::EndpointSnapshot> baseline;  ///< at measured_from; empty without warm-up
  std::vector<engine::EndpointSnapshot> final;     ///< at the end
  std::optional<fabric::NetworkSnapshot> network;  ///< at the end; none without a network of ours
  dataplane::WorkerStats totals;
  std::vector<dataplane::WorkerStats> workers;
  std::uint64_t control_unserved = 0;
  std::vector<nlohmann::ordered_json> control;  ///< of each board, what its slow control did; null without
  std::vector<std::uint8_t> changes_made;       ///< as RunConfig::changes; the run may have ended before
  DeliveryMap deliveries;                       ///< which receivers count what UC queue pairs deliver
  /// Reports of remote receivers, by board and QP of the board (endpoints::QpPlan).
  std::map<std::pair<std::size_t, std::size_t>, ReportedGoodput> reported;
};

}  // namespace softfeb::stats
