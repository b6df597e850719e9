// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"
#include "switchtest/pause_search.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// The stimulus of the test `headroom`. A queue of D is frozen. C, which ignores pauses, takes all memory
/// that it can get. Then A sends into the same queue at line rate.
class HeadroomTrials {
 public:
  /// The queue of `paused` must be one that the rig can overfill (Capacity::full).
  HeadroomTrials(Context& ctx, const PausedClass& paused, std::uint16_t c);

  /// Numbers of frames that the queue accepts from C, and then from A, if both ignore pauses.
  struct Held {
    FrameCount c, a;
  };
  /// Lets C send `from_c` frames, and then lets A send more frames than the queue accepts. Returns
  /// std::nullopt if no trial was valid.
  std::optional<Held> held(std::uint64_t from_c);
  /// Finds out whether the switch pauses A because of the first frame from A, which A sends after C has sent
  /// `from_c` frames. Returns kFail if the switch pauses A.
  Probe first_frame_pauses(std::uint64_t from_c);

  /// Results of a trial in which A obeyed pauses after a delay.
  struct Obeyed {
    std::uint64_t sent = 0;  ///< frames that A sent before it stopped
    std::uint64_t lost = 0;
    /// If this is false, the switch paused A, but not the PFC priority to which the frames are known to
    /// belong.
    bool understood = true;
    Time early = 0;  ///< A may in effect have obeyed too early, by at most this time
    Time late = 0;   ///< A may in effect have obeyed too late, by at most this time
  };
  /// Lets C overfill the queue. Then A sends up to `frames` frames, and obeys each pause frame `delay` after
  /// the arrival of this frame. Returns std::nullopt if no trial was valid.
  std::optional<Obeyed> obeyed_after(Time delay, std::uint64_t frames);

  const FrameKind& frame() const { return frame_; }
  std::uint16_t second() const { return c_; }
  /// Number of frames that certainly overfills the queue.
  std::uint64_t filling() const { return filling_; }

 private:
  Context& ctx_;
  FrameKind frame_;
  std::uint16_t c_;
  std::uint64_t filling_;
};

}  // namespace softfeb::switchtest
