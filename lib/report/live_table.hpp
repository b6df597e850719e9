// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "fabric/config.hpp"
#include "report/live_view.hpp"
#include "report/terminal.hpp"
#include "stats/rate_tracker.hpp"
#include "stats/sample.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::report {

/// Shows the progress of a run on standard error. A terminal shows a table of boards and switch ports, which
/// is redrawn four times a second, or once a second if there are thousands of queue pairs. Other outputs get
/// one line per second of the run. In virtual time, which may pass faster or slower than real time, the wall
/// clock limits the output to the same frequency.
class LiveTable : public stats::Observer {
 public:
  enum class Clock : std::uint8_t { kReal, kVirtual };

  /// `plans` contains the queue pairs of the configuration, board by board. `network` may be null. If `quiet`
  /// is true, nothing is shown. `config` and `network` must outlive this object.
  LiveTable(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
            const fabric::NetworkConfig* network, Clock clock, bool quiet);

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;
  void end(const stats::Sample& sample) override;

  /// Prints a message on its own line, unless the table is quiet.
  void note(const std::string& text);

 private:
  bool early();
  std::string line(const stats::Sample& sample, const stats::RunInterval& interval) const;
  std::string heading(const stats::Sample& sample, const std::string& line) const;
  LiveView::Board board(std::size_t b, const stats::Sample& sample,
                        const stats::BoardInterval& interval) const;

  const config::RunConfig& config_;
  const fabric::NetworkConfig* network_;
  Terminal terminal_;
  Clock clock_;
  bool quiet_;
  Time interval_ = 0;
  Time due_ = 0;
  std::vector<std::optional<double>> offered_;  ///< requested payload rate of each board
  std::vector<std::string> port_names_;
  stats::RateTracker rates_;
  std::optional<std::chrono::steady_clock::time_point> shown_;
};

}  // namespace softfeb::report
