// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// Effects of one synchronous burst from several senders to port D.
struct BurstOutcome {
  std::uint64_t marked = 0;  ///< frames that arrived with CE
  std::uint64_t pauses = 0;  ///< pause frames that the switch sent
  std::uint64_t lost = 0;
  std::uint64_t error = 0;  ///< train_error() of the burst, in frames of each sender
};

/// Sends synchronous bursts to port D from ports that obey the pauses of the switch. Keeps the outcomes, so
/// that searches for different properties can share them.
class IncastTrials {
 public:
  IncastTrials(Context& ctx, std::vector<std::uint16_t> senders);

  /// Returns the outcome of repetition `repetition` (0, 1, …) of a burst in which each sender sends `frames`
  /// frames. Returns std::nullopt if the rig failed.
  std::optional<BurstOutcome> outcome(std::uint64_t frames, std::size_t repetition);

  /// Returns the smallest BurstOutcome::error among the bursts of `frames` frames so far. If `caused` is
  /// true, considers only bursts that had the effect counted by `count`, otherwise only bursts that did not
  /// have it. Returns 0 if there were no such bursts.
  std::uint64_t error(std::uint64_t frames, std::uint64_t BurstOutcome::*count, bool caused) const;

  /// True if the senders together are faster than port D.
  bool overload() const;
  std::size_t senders() const { return senders_.size(); }
  /// Largest difference between the times at which senders started, over all valid trials.
  Time skew() const { return skew_; }
  /// Reason why the rig failed, in words.
  std::string failure() const;
  /// Time that a frame takes on the wire of the slowest sender.
  Time frame_time() const;

 private:
  Trial script(std::uint64_t frames) const;
  std::optional<BurstOutcome> run(std::uint64_t frames);

  Context& ctx_;
  std::vector<std::uint16_t> senders_;
  FrameKind frame_;
  std::map<std::uint64_t, std::vector<std::optional<BurstOutcome>>> outcomes_;
  Time skew_ = 0;
};

}  // namespace softfeb::switchtest
