// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/codepoint_counts.hpp"
#include "switchtest/context.hpp"
#include "switchtest/marking_train.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

class FreezeTrial;

/// Sends frames with all four values of the ECN field in turn from port A to port D. Uses IPv4 and, unless
/// the frames are plain UDP, also IPv6.
class CodepointTrial {
 public:
  /// `frame` is an IPv4 frame, whose ECN field is ignored.
  CodepointTrial(Context& ctx, const FrameKind& frame);

  struct Counts {
    std::array<CodepointCounts, 2> by_ip{};  ///< counts over IPv4 and over IPv6
    /// Number of frames whose header matches no frame of the trial.
    std::uint64_t unknown = 0;
    /// Number of frames sent with ECT or CE that did not arrive.
    std::uint64_t lost() const;
  };

  /// Sends no IPv6 frames in later trials.
  void leave_out_v6() { kinds_.resize(kEcnValues); }

  /// Sends `each` frames of each kind, spaced so that no frame waits. Returns std::nullopt if the rig failed.
  std::optional<Counts> empty_queue(std::uint64_t each);
  /// Sends `each` frames of each kind through a frozen queue, with `others` frames of the first ECT kind
  /// ahead of them (kEnqueue) or behind them (kDequeue). Requires that port D can pause the switch. Returns
  /// std::nullopt if the rig failed, or if the freeze ended too early in every attempt; lapsed() tells
  /// whether the freeze was the reason.
  std::optional<Counts> long_queue(std::uint64_t each, std::uint64_t others, MarkedAt at);
  bool lapsed() const { return lapsed_; }

 private:
  Source source(std::uint64_t each) const;
  void add_kinds(Trial& trial) const;
  Counts counts_of(const TrialResult& result) const;
  Time wire_time(std::uint16_t port) const;

  Context& ctx_;
  std::vector<FrameKind> kinds_;
  bool lapsed_ = false;
};

}  // namespace softfeb::switchtest
