// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"
#include "switchtest/pause_search.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// The stimulus of the test `headroom`. A queue of port D is frozen. Port C, which ignores pauses, takes all
/// memory that it can get. Then port A sends into the same queue at line rate.
class HeadroomTrials {
 public:
  /// The queue of `paused` must be one that the rig can overfill (Capacity::full).
  HeadroomTrials(Context& ctx, const PausedClass& paused, std::uint16_t c);

  /// Numbers of frames that the queue accepts from port C, and then from port A, if both ignore pauses.
  struct Held {
    FrameCount c, a;
  };
  /// Lets port C send `from_c` frames, and then lets port A send more frames than the queue accepts. Returns
  /// std::nullopt if no trial was valid.
  std::optional<Held> held(std::uint64_t from_c);
  /// Finds out whether a single frame from port A, sent after `from_c` frames from port C, makes the switch
  /// pause A. Returns kFail if the switch pauses A.
  Probe first_frame_pauses(std::uint64_t from_c);

  /// Results of a trial in which port A obeyed pauses after a delay.
  struct Obeyed {
    std::uint64_t sent = 0;  ///< frames that port A sent before it stopped
    std::uint64_t lost = 0;
    /// If this is false, the first pause frame to port A paused other PFC priorities than that of the frames,
    /// so it did not stop the frames.
    bool understood = true;
    /// The delay that took effect may have been shorter than `delay` by at most `early`, or longer by at most
    /// `late`, because the rig's times are not exact.
    Time early = 0;
    Time late = 0;
  };
  /// Lets port C overfill the queue. Then port A sends up to `frames` frames, and obeys each pause frame when
  /// the time `delay` has passed since its arrival. Returns std::nullopt if no trial was valid.
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
