// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"
#include "telemetry/run_info.hpp"

namespace softfeb::runtime {

/// Publishes counters on DPDK's telemetry socket once a second: /softfeb/boards, /softfeb/receivers,
/// /softfeb/ports, /softfeb/info (dataplane/telemetry_commands.hpp). Counters have the same names as in
/// /metrics.
class TelemetrySocket final : public stats::Observer {
 public:
  explicit TelemetrySocket(telemetry::RunInfo info);

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;

 private:
  telemetry::RunInfo info_;
  stats::RateTracker rates_;
  Time due_ = 0;
};

}  // namespace softfeb::runtime
