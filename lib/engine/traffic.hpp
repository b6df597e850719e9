// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/held.hpp"
#include "board/message_plan.hpp"
#include "engine/message_times.hpp"
#include "engine/transfer.hpp"
#include "latency/stamps.hpp"
#include "roce/work.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace softfeb::engine {

/// Unit of a QP's rate.
enum class RateKind : std::uint8_t {
  kUnlimited,
  kPayloadBytes,  ///< payload bytes per second, paced per packet
  kPackets,       ///< packets per second, paced per packet
  kMessages,      ///< messages per second; the packets of a message are not paced
  kPeriod,        ///< a message per period, at exact times; the packets of a message are not paced
};

enum class ImmediateKind : std::uint8_t { kFixed, kCounter };
enum class SignalPolicy : std::uint8_t { kAll, kLast, kNone };

/// The messages sent by a QP.
struct TrafficConfig {
  board::MessagePlan plan = board::MessagePlan::endless(0);
  std::optional<std::uint64_t> messages;  ///< number of messages; std::nullopt means no limit
  std::uint64_t rate = 0;                 ///< units of `rate_kind` per second; unused for kPeriod
  Time period = 0;  ///< kPeriod: message n is due n·period after the start of the QP's traffic
  std::uint64_t remote_address = 0;
  std::uint64_t slots = 1;   ///< message n is written to remote_address + (n mod slots)·stride
  std::uint64_t stride = 0;  ///< distance between slots in bytes; 0 means the message length
  std::uint32_t burst = 1;
  std::uint32_t rkey = 0;
  std::uint32_t immediate = 0;  ///< kFixed: the value; kCounter: the value of message 0
  roce::WrOpcode verb = roce::WrOpcode::kWrite;
  RateKind rate_kind = RateKind::kUnlimited;
  ImmediateKind immediate_kind = ImmediateKind::kFixed;
  SignalPolicy signaled = SignalPolicy::kAll;
  bool solicited = false;
  /// Settings of transfers. If messages are parts of transfers, `slots` is a number of transfers, and
  /// `immediate` is the number of the queue pair in its group. Each message of `plan` is then a segment or,
  /// with `sender_notifies`, a whole transfer. All transfers have the same length. Only the last message of a
  /// transfer is signaled.
  TransferSettings transfer;
  latency::StampSource stamps;  ///< records the times of the messages
  /// Time from the posting of a message until the QP gets its work request. Used only by `stamps`, because
  /// SendQpConfig::start_after already includes this time.
  Time post_delay = 0;

  auto operator<=>(const TrafficConfig&) const = default;
};

/// The part of a TrafficConfig that queue pairs can share. Rate, period, burst, remote address, rkey,
/// immediate value and number of messages may differ between queue pairs and are left at their defaults here.
struct TrafficSettings {
  explicit TrafficSettings(const TrafficConfig& config);
  TrafficConfig config;
  /// Random lengths or arrivals of one queue pair; null if neither is random. Settings with this member
  /// cannot be shared.
  std::unique_ptr<MessageTimes> times;
};

/// Generates the work requests of a QP, message by message. Work request ids are message numbers.
class Traffic {
 public:
  explicit Traffic(const TrafficConfig& config)
      : Traffic(config, Held<TrafficSettings>(TrafficSettings(config))) {}
  /// `profile` must have been built from `config`.
  Traffic(const TrafficConfig& config, Held<TrafficSettings>&& profile);

  /// Stops generating messages.
  void stop() { end_ = made_; }
  /// Stops generating messages, except those that have arrived by `now` in an open loop.
  void stop_arrivals(Time now);
  /// Stops generating messages if no further message will arrive. Requires times().
  void stop_if_exhausted() {
    if (profile_->times->exhausted()) stop();
  }

  bool finished() const { return made_ >= end_; }
  /// Returns the next message. Requires !finished().
  roce::WorkRequest make();
  /// For RequesterSettings::again: regenerates the request that `traffic` generated `back` messages ago. Does
  /// not set `signaled`.
  static roce::WorkRequest again(const void* traffic, std::uint32_t back);
  /// Counts a request from another source. Requires traffic that generates no messages itself.
  void count() { end_ = ++made_; }

  std::uint64_t made() const { return made_; }
  /// True if the next message is a transfer's notification (TransferSettings::sender_notifies). The
  /// notification is posted right after the message of the transfer.
  bool notifies_next() const { return sender_notifies() && made_ % 2 == 1; }
  bool sender_notifies() const { return profile_->config.transfer.sender_notifies; }
  /// True if the next message must wait for other queue pairs of its group.
  bool held() const {
    TransferProgress* const progress = profile_->config.transfer.progress;
    return progress != nullptr && !progress->may_begin(next_transfer());
  }
  /// Progress of the group of queue pairs that send transfers together; null if there is no such group.
  TransferProgress* progress() const { return profile_->config.transfer.progress; }
  /// Reports that the first `messages` messages are complete.
  void completed(std::uint64_t messages) const {
    if (progress() != nullptr) progress()->completed(immediate_, messages);
  }
  /// Records the time at which the newest message was posted, if this message is the first message of a
  /// transfer.
  void record_post(Time now) const;
  const latency::StampSource& stamps() const { return profile_->config.stamps; }
  Time post_delay() const { return profile_->config.post_delay; }
  const board::MessagePlan& plan() const { return profile_->config.plan; }
  /// Random lengths and arrivals; null if the QP has neither.
  MessageTimes* times() const { return profile_->times.get(); }

 private:
  roce::WorkRequest request(std::uint64_t number) const;  ///< does not set `signaled`
  std::uint64_t next_transfer() const {
    const TransferSettings& t = profile_->config.transfer;
    return (made_ * t.group + immediate_) / t.segments;
  }
  roce::WorkRequest segment(std::uint64_t number) const;
  roce::WorkRequest transfer_of_sender(std::uint64_t number) const;
  bool signaled(std::uint64_t number) const;

  Held<TrafficSettings> profile_;
  std::uint64_t made_ = 0;
  std::uint64_t end_;  ///< total number of messages
  std::uint64_t remote_address_;
  std::uint32_t rkey_;
  std::uint32_t immediate_;
};

}  // namespace softfeb::engine
