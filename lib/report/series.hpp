// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/targets.hpp"
#include "engine/snapshot.hpp"
#include "report/atomic_file.hpp"
#include "stats/delivery.hpp"
#include "stats/sample.hpp"

#include <optional>
#include <string>
#include <vector>

namespace softfeb::report {

/// The time series of a run as CSV (doc/result.md): a row for each QP and sample, or, above run.series_qps
/// QPs, for each board and sample. Made of snapshots by the control thread alone, and written as they come:
/// memory does not grow with the run.
class Series : public stats::Observer {
 public:
  /// Writes the heading. Throws EnvironmentError.
  Series(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
         const std::string& path);

  /// On a grid of run.series_interval.
  Time due() const override { return due_; }
  /// A sample; one that comes late takes the place of those it missed. A disk that fails ends the series, not
  /// the run: finish() tells.
  void add(const stats::Sample& sample) override;
  void end(const stats::Sample& sample) override;
  /// After end(): the file is there. Throws EnvironmentError when any of it could not be written.
  void finish();

 private:
  /// What is subtracted from the next sample.
  struct Before {
    std::uint64_t counted_bytes = 0;
    stats::Delivered delivered;
    std::uint64_t cnps = 0;
    std::uint64_t retransmitted = 0;
  };
  struct Row;

  Row take(std::size_t plan, const stats::Sample& sample, double interval);
  void add_board(std::size_t board, const stats::Sample& sample);
  void append(const Row& row, double seconds, double interval);

  const std::vector<endpoints::QpPlan>& plans_;
  std::vector<std::string> boards_;
  std::vector<std::vector<std::size_t>> plans_of_;  ///< of each board, indices into plans_
  std::vector<Before> before_;                      ///< as plans_
  stats::DeliveryMap deliveries_;
  std::vector<bool> own_rate_;          ///< as plans_; false where an earlier QP with the same rate counts it
  std::vector<std::uint64_t> last_ns_;  ///< of each board, when its last sample was
  AtomicFile file_;
  std::string text_;
  std::string failure_;
  Time interval_;
  Time due_;
  bool aggregated_;
};

}  // namespace softfeb::report
