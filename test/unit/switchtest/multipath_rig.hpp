// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "switchtest/rig.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace softfeb::test {

/// A fabric with several equal paths, much simpler than lib/fabric and independent of it. A frame waits for
/// the link of its path. If the memory at this link is full, the frame is lost. The links of the destination
/// ports do not delay frames.
class MultipathRig final : public switchtest::Rig {
 public:
  struct Config {
    std::size_t ports = 4;
    std::uint64_t rate = 1'250'000'000;  ///< rate of the ports
    std::uint64_t path_rate = 1'250'000'000;
    std::size_t paths = 4;
    std::uint64_t memory = 1U << 20;  ///< number of bytes that may wait at the link of a path
    /// If not empty, frames of path i leave at port next_hops[i] instead of at their destination port.
    std::vector<std::uint16_t> next_hops{};
    /// Selects the path of a frame; the result is taken modulo `paths`.
    std::function<std::uint64_t(const switchtest::FrameKind&, Rng&)> hash;
    unsigned void_trials = 0;  ///< number of trials at the beginning whose results are invalid
  };

  explicit MultipathRig(Config config);

  switchtest::RigKind kind() const override { return switchtest::RigKind::kVirtual; }
  const std::vector<switchtest::RigPort>& ports() const override { return ports_; }
  switchtest::TrialResult run(const switchtest::Trial& trial) override;
  Time now() const override { return now_; }
  std::optional<Time> own_delay() const override { return Time{0}; }
  Time settle() const override { return 50 * kMicrosecond; }

 private:
  struct Departure {
    Time at = 0;
    std::uint16_t kind = 0;
  };
  std::vector<Departure> departures(const switchtest::Trial& trial);
  void pass(const switchtest::Trial& trial, const Departure& frame, switchtest::TrialResult& out);

  Config config_;
  std::vector<switchtest::RigPort> ports_;
  std::vector<Time> free_at_;  ///< time from which the link of each path is free
  Rng random_{1};
  Time now_ = 0;
};

/// Returns a good hash of the destination port and of the selected fields of a frame. Each Boolean argument
/// selects one field if it is true: the UDP source port, the destination QP, or the source address.
std::function<std::uint64_t(const switchtest::FrameKind&, Rng&)> hash_of(bool port, bool qp, bool source,
                                                                         std::uint64_t seed);

}  // namespace softfeb::test
