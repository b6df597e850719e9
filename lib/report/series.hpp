// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/targets.hpp"
#include "report/atomic_file.hpp"
#include "stats/rate_tracker.hpp"
#include "stats/sample.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::report {

/// Writes series.csv (doc/result.md): one row per QP and sample or, if there are more than run.series_qps
/// QPs, one row per board and sample. If any QP has an algorithm other than DCQCN, the file has
/// additional columns at the end for the state of such algorithms. Rows are written as samples arrive, so
/// memory use does not grow with the run.
class Series : public stats::Observer {
 public:
  /// Writes the heading. `plans` must outlive this object. Throws EnvironmentError.
  Series(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
         const std::string& path);

  /// Samples are due at multiples of run.series_interval.
  Time due() const override { return due_; }
  /// A late sample replaces all samples that were missed before it. A failed write ends the series, but not
  /// the run; finish() reports the failure.
  void add(const stats::Sample& sample) override;
  void end(const stats::Sample& sample) override;
  /// Call after end(). Renames the file to its final name. Throws EnvironmentError if a write has failed.
  void finish();

 private:
  void append_board(std::size_t board, const stats::BoardInterval& interval);
  void append_qp(const endpoints::QpPlan& plan, const stats::SendInterval& qp);
  void append_sum(const stats::SendInterval& sum);
  void append_rates(const stats::SendInterval& row);
  void append_state(const stats::ControlState& control);
  /// Appends a field; the field is empty if the value is unknown.
  void append(const std::optional<double>& value);
  void append_rate(const stats::ControlState& control, double rate);

  const std::vector<endpoints::QpPlan>& plans_;
  std::vector<std::string> boards_;
  std::vector<std::vector<std::size_t>> plans_of_;  ///< for each board, indices into plans_
  stats::RateTracker rates_;
  AtomicFile file_;
  std::string text_;
  std::string failure_;
  Time interval_;
  Time due_;
  bool per_board_;
  bool state_columns_;  ///< the file has columns for algorithms other than DCQCN
};

}  // namespace softfeb::report
