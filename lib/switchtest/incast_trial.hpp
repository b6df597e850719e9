// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// What a synchronous burst of several senders to D caused.
struct BurstOutcome {
  std::uint64_t marked = 0;  ///< frames that arrived with CE
  std::uint64_t pauses = 0;  ///< pause frames of the switch
  std::uint64_t lost = 0;
  std::uint64_t error = 0;  ///< train_error()
};

/// Synchronous bursts to D. The senders obey the pauses of the switch. Outcomes are kept, so that searches
/// for different properties share them.
class IncastTrials {
 public:
  IncastTrials(Context& ctx, std::vector<std::uint16_t> senders);

  /// Outcome of repetition `repetition` (0, 1, …) of bursts of `frames` frames of each sender. nullopt: the
  /// rig failed.
  std::optional<BurstOutcome> outcome(std::uint64_t frames, std::size_t repetition);

  /// Smallest BurstOutcome::error of those bursts of `frames` frames so far in which `count` was 0 or, if
  /// `caused` is true, in which it was not. 0: there were none.
  std::uint64_t error(std::uint64_t frames, std::uint64_t BurstOutcome::*count, bool caused) const;

  /// True if the senders together are faster than D.
  bool overload() const;
  std::size_t senders() const { return senders_.size(); }
  /// Largest difference of the starts of senders in a valid trial.
  Time skew() const { return skew_; }
  /// Why the rig failed, in words.
  std::string failure() const;
  /// Time in which the slowest sender sends a frame.
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
