// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/freeze.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::switchtest {

/// A silence of the switch, in picoseconds after the last bit of the pause frame that caused it.
struct Silence {
  double last = 0;   ///< last bit of the last frame before the silence
  double first = 0;  ///< last bit of the first frame after it
  double error = 0;  ///< of both
};

/// The stimulus of the test of obedience: port D freezes a queue, A fills it, D releases it and, while its
/// frames leave at line rate, pauses it again.
class PausedDrain {
 public:
  /// nullopt: D cannot freeze the queue of this frame.
  static std::optional<PausedDrain> create(Context& ctx, const FrameKind& frame, std::uint64_t frames);

  /// Also fills a queue with these frames, which D freezes and releases, but does not pause again. Returns
  /// the index of their kind; nullopt: D cannot freeze it.
  std::optional<std::uint16_t> beside(Context& ctx, const FrameKind& frame, std::uint64_t frames);

  /// Ends the fills. D pauses the queue for `quanta` when about four frames have left; `phase` is from 0 to 1
  /// and moves the pause by up to the time of a frame.
  void pause(const Context& ctx, std::uint16_t quanta, double phase);
  /// D resumes the queue this time after the pause frame.
  void resume(Time after);

  const Trial& trial() const { return freeze_.trial; }
  /// Why a trial says nothing. Empty: it is valid.
  std::string flaw(const TrialResult& result) const;
  /// When the pause frame of pause() had left D. nullopt: it was not sent.
  std::optional<Time> paused_at(const TrialResult& result) const;
  /// The silence of the paused frames. nullopt: none is seen, because no frame came after the pause, the
  /// pause is shorter than a frame, or the rig stood still for too long.
  std::optional<Silence> silence(const TrialResult& result) const;
  /// Time of a paused frame on the wire of D.
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
  std::uint64_t rate_;      ///< of D, bytes per second
  std::uint64_t wire_ = 0;  ///< bytes of all frames
  std::uint16_t kind_ = 0;  ///< of the paused frames
  Time pause_ = 0;          ///< when D pauses
  std::uint16_t quanta_ = 0;
  Time expected_ = 0;  ///< length of the silence, without the rest of a frame
};

}  // namespace softfeb::switchtest
