// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"
#include "telemetry/scene.hpp"

namespace softfeb::runtime {

/// Counters for DPDK's telemetry socket, once a second: /softfeb/boards, /softfeb/receivers, /softfeb/ports,
/// /softfeb/info (dataplane/telemetry_commands.hpp). Names are those of /metrics.
class TelemetrySocket final : public stats::Observer {
 public:
  explicit TelemetrySocket(telemetry::Scene scene);

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;

 private:
  telemetry::Scene scene_;
  Time due_ = 0;
};

}  // namespace softfeb::runtime
