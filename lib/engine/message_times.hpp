// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/message_lengths.hpp"
#include "base/time.hpp"
#include "engine/arrivals.hpp"
#include "engine/completion_times.hpp"
#include "engine/idle_path.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::engine {

/// Messages whose lengths or arrival times are random. Queue pairs of one board may share the objects to
/// which the members point.
struct MessageTimesConfig {
  /// Without a distribution, all messages have the length that TrafficConfig::plan defines.
  MessageLengths lengths;
  std::shared_ptr<Arrivals> arrivals;  ///< null in a closed loop
  /// True if other queue pairs also take messages from `arrivals`. Each queue pair then has only one message
  /// at a time, so a message waits only while all queue pairs are busy.
  bool shared_arrivals = false;
  std::uint32_t median = 0;  ///< median of the message lengths, in bytes
  std::shared_ptr<CompletionTimes> times;
  std::shared_ptr<const IdlePath> path;  ///< null if it is unknown; slowdowns are then not computed
  /// Messages that arrive within this time after the start of traffic are not counted in `times`.
  Time count_after = 0;
};

/// State of a queue pair with random message lengths or arrivals: the arrival times of its outstanding
/// messages. The backlog needs no memory (see Arrivals). Used once or twice per message, not per packet.
class MessageTimes {
 public:
  /// `length` is the length of all messages unless the lengths are random. `depth` is the maximum number of
  /// messages that have been posted but not completed.
  MessageTimes(const MessageTimesConfig& config, std::uint32_t length, std::uint32_t depth);

  void start(Time at);
  /// Stops the arrivals at `now`. Messages that have arrived by then are still sent.
  void stop(Time now) {
    if (config_.arrivals) config_.arrivals->stop(now);
  }

  /// Length of message `n` in bytes. Every call with the same `n` returns the same length.
  std::uint32_t length(std::uint64_t n) const { return config_.lengths ? config_.lengths.at(n) : length_; }
  bool open_loop() const { return config_.arrivals != nullptr; }
  /// Time at which the next message arrives; 0 in a closed loop.
  Time due() const { return config_.arrivals ? config_.arrivals->next() : 0; }
  /// True if no further message will be posted, because arrivals were stopped and all messages that had
  /// arrived were posted. Always false in a closed loop.
  bool exhausted() const { return config_.arrivals && config_.arrivals->exhausted(); }
  bool one_at_a_time() const { return config_.shared_arrivals; }

  /// Takes an arrival for message `n`, which is posted at `now`; `now` must be at least due().
  void post(std::uint64_t n, Time now) { since(n) = config_.arrivals ? config_.arrivals->take() : now; }
  /// Counts the messages before message `n` as completed at `now`. Messages that were already counted are not
  /// counted again.
  void complete(std::uint64_t n, Time now) {
    while (completed_ < n) count(completed_++, now);
  }
  std::uint64_t completed_bytes() const { return completed_bytes_; }

  /// Memory in bytes of an object with this `depth`.
  static std::size_t bytes(std::uint32_t depth) { return sizeof(MessageTimes) + depth * sizeof(Time); }

 private:
  Time& since(std::uint64_t n) { return since_[n % since_.size()]; }
  void count(std::uint64_t n, Time now);

  MessageTimesConfig config_;
  Time acknowledgement_ = 0;  ///< IdlePath::acknowledgement()
  Time count_from_ = kNever;
  std::vector<Time> since_;  ///< ring of the arrival times of outstanding messages
  std::uint64_t completed_ = 0;
  std::uint64_t completed_bytes_ = 0;
  std::uint32_t length_;
};

}  // namespace softfeb::engine
