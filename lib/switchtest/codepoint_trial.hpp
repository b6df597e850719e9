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

/// Frames with all four ECN fields, of IPv4 and, except for plain UDP, of IPv6, which A sends to D in turn.
class CodepointTrial {
 public:
  /// `frame`: of IPv4, with any ECN field.
  CodepointTrial(Context& ctx, const FrameKind& frame);

  struct Counts {
    std::array<CodepointCounts, 2> by_ip{};  ///< IPv4, IPv6
    /// Frames with a header that is not that of any frame of the trial.
    std::uint64_t unknown = 0;
    /// Frames with ECT or CE that did not arrive.
    std::uint64_t lost() const;
  };

  /// From now on sends no IPv6 frames.
  void leave_out_v6() { kinds_.resize(kEcnValues); }

  /// `each` frames of each kind, so far apart that none waits. nullopt: the rig failed.
  std::optional<Counts> empty_queue(std::uint64_t each);
  /// `each` frames of each kind with `others` frames of the first ECT kind before them (kEnqueue) or behind
  /// them (kDequeue) in a frozen queue. Requires that D can pause the switch. nullopt: the rig failed or, if
  /// lapsed(), the freeze lapsed each time.
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
