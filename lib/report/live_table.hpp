// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "fabric/config.hpp"
#include "report/live_view.hpp"
#include "report/terminal.hpp"
#include "stats/delivery.hpp"
#include "stats/sample.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::report {

/// What people see of a run while it goes on, on standard error: on a terminal a table of boards and switch
/// ports that is written over four times a second, elsewhere a line each second of the run. In virtual time,
/// which may pass faster or slower than ours, at most as often by our clock.
class LiveTable : public stats::Observer {
 public:
  enum class Clock : std::uint8_t { kReal, kVirtual };

  /// `plans`: the configuration's queue pairs, board by board. `network` may be null. `config` and `network`
  /// are kept by reference.
  LiveTable(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
            const fabric::NetworkConfig* network, Clock clock, bool quiet);

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;
  void end(const stats::Sample& sample) override;

  /// Something that people wait for, on a line of its own.
  void note(const std::string& text);

 private:
  /// Since the beginning, of a board (or all), as of the view before.
  struct Sent {
    std::uint64_t counted_bytes = 0;
    std::uint64_t frames = 0;
    Time at = 0;
  };
  struct Port {
    std::uint64_t wire_bytes = 0;
    Time at = 0;
  };

  bool early();
  std::string line(const stats::Sample& sample);
  std::string payload_rate(const stats::Sample& sample, std::uint64_t payload, Time length);
  std::string heading(const stats::Sample& sample, const std::string& line) const;
  LiveView::Board board(std::size_t b, const stats::Sample& sample);
  LiveView::Port port(std::size_t p, const fabric::PortSnapshot& s, Time at);
  std::string port_name(const fabric::PortSnapshot& s) const;

  const config::RunConfig& config_;
  const fabric::NetworkConfig* network_;
  Terminal terminal_;
  Clock clock_;
  bool quiet_;
  Time interval_ = 0;
  Time due_ = 0;
  std::vector<std::optional<double>> offered_;  ///< of each board
  std::vector<std::vector<bool>> own_rates_;    ///< of each board: lab::own_rates() of its QPs
  stats::DeliveryMap deliveries_;
  std::vector<Sent> boards_;
  std::vector<Port> ports_;
  Time last_ = 0;  ///< of the line before
  std::uint64_t last_frames_ = 0;
  std::uint64_t last_payload_ = 0;  ///< sent
  stats::Delivered last_delivered_;
  std::optional<std::chrono::steady_clock::time_point> shown_;
};

}  // namespace softfeb::report
