// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/delivery.hpp"
#include "lab/sample.hpp"
#include "telemetry/scene.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::telemetry {

/// A board in the interval that ended with a sample. Rates in bytes per second.
struct BoardFigures {
  std::optional<double> rc, rt;  ///< sums over its congestion controls; none without any
  double alpha = 0;              ///< their mean, 0…1
  double sent = 0;               ///< measured, of the bytes that Rc counts (BTH to pad, retransmissions too)
  /// Payload of messages that reached their receivers whole; none where it is not known (lab/delivery.hpp).
  std::optional<double> goodput = 0;
  std::uint64_t cnps = 0;
  std::uint64_t retransmitted = 0;  ///< packets
};

/// A switch's port in the interval.
struct PortFigures {
  std::uint64_t queue = 0;  ///< bytes at its end
  std::uint64_t peak = 0;   ///< in it
  double tx = 0;            ///< bytes per second on the wire
  double paused_share = 0;  ///< of the time
  std::uint64_t ecn_marked = 0, dropped = 0, pause_tx = 0, pause_rx = 0, cnp_forged = 0;
};

struct Figures {
  double at = 0;        ///< seconds since traffic began
  double interval = 0;  ///< of the ports
  std::vector<BoardFigures> boards;
  std::vector<PortFigures> ports;  ///< as Scene::ports; empty without a network
};

/// Makes rates of counters: each sample against the one before. Allocates only in the first.
class Tracker {
 public:
  explicit Tracker(const Scene& scene);

  /// Valid until the next call.
  const Figures& add(const lab::Sample& sample);

 private:
  struct BoardBefore {
    Time at = 0;
    lab::Delivered delivered;
    std::uint64_t counted = 0, cnps = 0, retransmitted = 0;
  };
  void add_board(std::size_t b, const lab::Sample& sample);
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
