// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/freeze.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// A period in which the switch sends nothing. Times are in picoseconds after the last bit of the pause frame
/// that caused the silence.
struct Silence {
  double last = 0;   ///< end of the last frame before the silence
  double first = 0;  ///< end of the first frame after the silence
  double error = 0;  ///< possible error of `last` and of `first`
};

/// The stimulus of the test `obedience`. Port D freezes a queue, port A fills it, and D releases it. While
/// the frames leave at line rate, D pauses the queue again.
class PausedDrain {
 public:
  /// Returns std::nullopt if port D cannot freeze the queue of this frame.
  static std::optional<PausedDrain> create(Context& ctx, const FrameKind& frame, std::uint64_t frames);

  /// Also fills the queue of `frame`. Port D freezes and releases this queue together with the first queue,
  /// but does not pause it again. Returns the index of the kind of these frames, or std::nullopt if D cannot
  /// freeze the queue.
  std::optional<std::uint16_t> beside(Context& ctx, const FrameKind& frame, std::uint64_t frames);

  /// Ends the fills. Port D pauses the queue for `quanta` after about four frames have left. `phase`, from 0
  /// to 1, delays the pause by up to the time of one frame.
  void pause(const Context& ctx, std::uint16_t quanta, double phase);
  /// Makes port D end the pause early. `after` is the time from the pause frame to a second pause frame,
  /// whose duration is 0.
  void resume(Time after);

  const Trial& trial() const { return freeze_.trial; }
  /// Returns the reason why a trial is of no use, or an empty text if it is valid.
  std::string flaw(const TrialResult& result) const;
  /// Returns the time at which the last bit of the pause frame left port D, or std::nullopt if D did not send
  /// this frame.
  std::optional<Time> paused_at(const TrialResult& result) const;
  /// Returns the period in which the switch sent none of the paused frames. Returns std::nullopt if no
  /// silence was seen. This is the case if no frame arrived after the pause, if the pause was shorter than a
  /// frame, or if a loop of the rig stopped for too long.
  std::optional<Silence> silence(const TrialResult& result) const;
  /// Time that a paused frame takes on the wire of port D.
  Time frame_time() const { return frame_time_; }

 private:
  PausedDrain(FreezeTrial freeze, Time frame_time, std::uint64_t rate)
      : freeze_(std::move(freeze)),
        frozen_(freeze_.trial.freezes.front()),
        frame_time_(frame_time),
        rate_(rate) {}

  FreezeTrial freeze_;
  Freeze frozen_;
  Time frame_time_;
  std::uint64_t rate_;      ///< rate of port D in bytes per second on the wire
  std::uint64_t wire_ = 0;  ///< bytes that all frames occupy on the wire
  std::uint16_t kind_ = 0;  ///< kind of the paused frames
  Time pause_ = 0;          ///< time at which port D pauses the queue again
  std::uint16_t quanta_ = 0;
  Time expected_ = 0;  ///< expected length of the silence, without the rest of the frame in progress
};

}  // namespace softfeb::switchtest
