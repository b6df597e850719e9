// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/delivery.hpp"
#include "stats/sample.hpp"
#include "telemetry/scene.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::telemetry {

/// Statistics of a board over the interval before a sample. Rates are in bytes per second.
struct BoardFigures {
  std::optional<double> rc, rt;  ///< sums over its congestion controls; empty without any
  double alpha = 0;              ///< their mean, 0…1
  double sent = 0;               ///< measured; bytes that Rc counts (BTH to pad, including retransmissions)
  /// Payload of completely received messages; empty if unknown (lab/delivery.hpp).
  std::optional<double> goodput = 0;
  std::uint64_t cnps = 0;
  std::uint64_t retransmitted = 0;  ///< packets
};

/// Statistics of a switch port over the interval.
struct PortFigures {
  std::uint64_t queue = 0;  ///< bytes at the end of the interval
  std::uint64_t peak = 0;   ///< maximum in the interval, bytes
  double tx = 0;            ///< bytes per second on the wire
  double paused_share = 0;  ///< share of the interval
  std::uint64_t ecn_marked = 0, dropped = 0, pause_tx = 0, pause_rx = 0, cnp_forged = 0;
};

struct Figures {
  double at = 0;        ///< seconds since traffic began
  double interval = 0;  ///< seconds between the network snapshots
  std::vector<BoardFigures> boards;
  std::vector<PortFigures> ports;  ///< indexed like Scene::ports; empty without a network
};

/// Computes rates from the counters of successive samples. Allocates only in the first call of add().
class Tracker {
 public:
  explicit Tracker(const Scene& scene);

  /// The result is valid until the next call.
  const Figures& add(const stats::Sample& sample);

 private:
  struct BoardBefore {
    Time at = 0;
    stats::Delivered delivered;
    std::uint64_t counted = 0, cnps = 0, retransmitted = 0;
  };
  void add_board(std::size_t b, const stats::Sample& sample);
  void add_port(std::size_t p, const fabric::PortSnapshot& now);

  const Scene& scene_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> ports_;  ///< (switch, link) → Scene::ports
  std::vector<BoardBefore> boards_before_;
  std::vector<fabric::PortSnapshot> ports_before_;
  Time network_before_ = 0;
  bool first_ = true;
  Figures figures_;
};

}  // namespace softfeb::telemetry
