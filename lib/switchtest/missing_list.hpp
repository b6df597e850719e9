// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/trial.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::switchtest {

/// Lists frames that have not arrived at a port although later frames of their kind have. Allocates only in
/// prepare().
class MissingList {
 public:
  /// Maximum length of the list; further frames are not listed.
  static constexpr std::size_t kMost = 4096;

  void prepare();
  /// Records that frame `to` of a kind, which departed at `departed`, has arrived, but frames `from` to `to`
  /// − 1 have not.
  void skip(std::uint16_t kind, std::uint64_t from, std::uint64_t to, Time departed);
  /// Records that frame `sequence` of kind `kind`, which may be in the list, has arrived after all.
  void found(std::uint16_t kind, std::uint64_t sequence);
  const std::vector<MissingFrame>& frames() const { return frames_; }

 private:
  std::vector<MissingFrame> frames_;
};

/// Appends missing frames to TrialResult::missing: for each kind, the frames that were sent after the last
/// frame that arrived, up to MissingList::kMost frames. Call this function once for each result.
void list_last_frames(TrialResult& result);

}  // namespace softfeb::switchtest
