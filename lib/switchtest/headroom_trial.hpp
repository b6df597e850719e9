// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"
#include "switchtest/pause_search.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// The stimulus of the test headroom: a queue of D is frozen, C, which ignores pauses, takes all memory that
/// it can get, and then A sends into the same queue at line rate.
class HeadroomTrials {
 public:
  /// The queue of `paused` must be one that the rig can overfill (Capacity::full).
  HeadroomTrials(Context& ctx, const PausedClass& paused, std::uint16_t c);

  /// Frames that the queue takes from C, and then from A, if both ignore pauses.
  struct Held {
    FrameCount c, a;
  };
  /// C sends `from_c` frames, and A more than the queue takes. nullopt: no trial was valid.
  std::optional<Held> held(std::uint64_t from_c);
  /// Whether the first frame from A after so many from C pauses A. kFail: it does.
  Probe first_frame_pauses(std::uint64_t from_c);

  /// What becomes of the frames of a sender that obeys pauses after a delay.
  struct Obeyed {
    std::uint64_t sent = 0;  ///< by A, before it stopped
    std::uint64_t lost = 0;
    /// False: the switch paused A, but not the PFC priority that the frames have as far as is known.
    bool understood = true;
    Time early = 0;  ///< A's frames may have had so much less time than the delay
    Time late = 0;   ///< or so much more
  };
  /// C overfills the queue, and A sends up to `frames` frames and obeys pauses `delay` after they arrive.
  /// nullopt: no trial was valid.
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
