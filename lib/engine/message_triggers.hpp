// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "detector/trigger_message.hpp"
#include "engine/control_frame.hpp"
#include "engine/identity.hpp"
#include "engine/trigger_feed.hpp"
#include "roce/frame.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::engine {

struct TxFrame;

/// Trigger messages that a board has received. Each message is counted in exactly one of the first six
/// members.
struct TriggerMessageCounts {
  std::uint64_t accepted = 0;   ///< the message announces a new trigger
  std::uint64_t ignored = 0;    ///< the event number was not above the previous one, or the run had ended
  std::uint64_t ends = 0;       ///< the message announces the end of the run; includes repetitions
  std::uint64_t malformed = 0;  ///< not a trigger message, or its sender cannot be answered
  std::uint64_t wrong_run = 0;  ///< the message belongs to another run
  std::uint64_t early = 0;      ///< the message arrived before traffic began
  // The following counts are subsets of `accepted`.
  std::uint64_t wrong_time = 0;   ///< the time differed too much from the board's clock (kOldest, kAhead)
  std::uint64_t clock_steps = 0;  ///< the time was earlier than that of the previous trigger
};

/// The triggers that one board receives as messages, and its busy messages to the sender of the last trigger
/// (doc/detector.md).
///
/// If the time of a trigger differs too much from the board's clock, the board uses the message's arrival
/// time instead and sets the flag kNotSynchronised. The substitution is necessary because a trigger with a
/// time in the future would delay all triggers behind it. The times of successive triggers never decrease.
///
/// A busy message may get lost. While the board is busy, it therefore repeats the message every kRepeat. If
/// the sender of triggers receives no busy message from a board for some time, it no longer considers the
/// board busy. Sans-I/O; only the constructor allocates.
class MessageTriggers final : public TriggerFeed {
 public:
  static constexpr Time kRepeat = 5 * kMillisecond;
  /// The time of a trigger may be up to kOldest behind the board's clock and up to kAhead ahead of it.
  static constexpr Time kOldest = kSecond;
  static constexpr Time kAhead = 10 * kMillisecond;

  /// `run` tells when traffic begins, and must outlive this object. `number` is the number of the run;
  /// messages of other runs are not accepted.
  MessageTriggers(const TriggerFeed& run, std::uint32_t number);

  /// Processes a datagram for detector::kTriggerPort.
  void receive(const roce::ParsedFrame& frame, Time now);
  /// Writes the busy message that is due at `now`; returns false if there is none.
  bool write_busy(const Identity& from, std::uint16_t identification, Time now, TxFrame& out);
  /// Time at which write_busy() has a message; kNever if it has none.
  Time busy_due() const { return route_ ? busy_due_ : kNever; }

  /// The triggers of the run, which tell when traffic begins.
  const TriggerFeed& run() const { return *run_; }

  void begin(Time /*at*/, detector::EventTime /*origin*/) override {}
  Time began() const override { return run_->began(); }
  detector::EventTime origin() const override { return run_->origin(); }
  void advance(Time /*now*/) override {}
  Time next() const override { return kNever; }
  bool over() const override { return over_; }
  void end(Time /*at*/) override { over_ = true; }
  std::uint64_t accepted() const override { return counts_.accepted; }
  std::uint64_t oldest() const override { return counts_.accepted < kKept ? 0 : counts_.accepted - kKept; }
  detector::Trigger trigger(std::uint64_t i) const override { return kept_[i % kKept].trigger; }
  std::uint16_t flags(std::uint64_t i) const override { return kept_[i % kKept].flags; }
  std::uint64_t events() const override { return order_.next(); }
  void report(std::uint32_t board, bool busy, Time now) override;
  Time busy_time(Time /*now*/) const override { return 0; }
  std::span<const detector::TriggerCounts> counts() const override { return {}; }

  const TriggerMessageCounts& messages() const { return counts_; }
  /// Number of triggers for which no message arrived.
  std::uint64_t lost() const { return order_.lost(); }

 private:
  static constexpr std::uint64_t kKept = 1024;

  struct Kept {
    detector::Trigger trigger;
    std::uint16_t flags = 0;
  };

  void accept(const detector::TriggerMessage& message, Time now);

  const TriggerFeed* run_;
  std::uint32_t number_;
  std::vector<Kept> kept_;
  detector::TriggerOrder order_;
  TriggerMessageCounts counts_;
  Time last_ = 0;  ///< time of the last trigger
  bool over_ = false;
  std::optional<DatagramRoute> route_;  ///< route to the sender of the last trigger
  std::uint16_t board_ = 0;
  bool busy_ = false;
  Time busy_due_ = kNever;
};

}  // namespace softfeb::engine
