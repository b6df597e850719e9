// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/own_target.hpp"
#include "conformance/prober.hpp"
#include "conformance/suite.hpp"
#include "engine/demux.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace softfeb::conformance {

/// A wire in virtual time between endpoints. Frames arrive `delay` after they are sent, in the same order.
class VirtualWire {
 public:
  /// Called with every frame when it arrives, even if it is malformed or no endpoint accepts it.
  using Tap = std::function<void(ByteSpan frame, Time now)>;

  explicit VirtualWire(Time delay, Tap tap = nullptr) : delay_(delay), tap_(std::move(tap)) {}

  /// The endpoint must outlive the wire.
  void add(engine::Endpoint& endpoint);
  /// Delivers the frames that are due at `now`, and collects what the endpoints send.
  void run(Time now);
  /// Time of the next delivery or of the next packet of an endpoint; kNever if there is none.
  Time next_event(Time now) const;

 private:
  static constexpr std::size_t kBurst = 32;

  struct InFlight {
    Time at = 0;
    std::vector<std::uint8_t> bytes;
  };
  void collect(Time now);

  Time delay_;
  Tap tap_;
  std::vector<engine::Endpoint*> endpoints_;
  engine::Demux demux_;
  std::deque<InFlight> flight_;
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, kBurst> rooms_{};
};

/// A target in virtual time: its endpoints, and a function that carries out requests.
struct VirtualTarget {
  std::vector<engine::Endpoint*> endpoints;
  std::function<TargetReply(const TargetRequest&)> answer;
  Capabilities capabilities;
  TargetDevice device;
  std::vector<RegionPlace> regions;
  std::optional<engine::Identity> v6_identity;
  VirtualWire::Tap tap{};  ///< receives every frame, for targets that read frames themselves; may be null
};
/// Wraps softfeb's own receiver as a target. `target` must outlive the result.
VirtualTarget virtual_target(OwnTarget& target, const OwnTargetConfig& config);

/// Returns the addresses of board and target in virtual time.
OwnTargetConfig virtual_addresses();

/// Runs a suite against a target in virtual time. The result depends only on the arguments. `report` is
/// called with each result.
SuiteResult run_in_virtual_time(const Catalogue& catalogue, const SuiteConfig& config, VirtualTarget target,
                                const std::function<void(const CaseResult&)>& report = nullptr);

}  // namespace softfeb::conformance
