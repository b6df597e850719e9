// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/sample.hpp"
#include "telemetry/scene.hpp"

namespace softfeb::app {

/// Counters for DPDK's telemetry socket, once a second: /softfeb/boards, /softfeb/receivers, /softfeb/ports,
/// /softfeb/info (dataplane/telemetry_commands.hpp). Names are those of /metrics.
class DpdkFigures final : public lab::Observer {
 public:
  explicit DpdkFigures(telemetry::Scene scene);

  Time due() const override { return due_; }
  void add(const lab::Sample& sample) override;

 private:
  telemetry::Scene scene_;
  Time due_ = 0;
};

}  // namespace softfeb::app
