// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/held.hpp"
#include "board/message_plan.hpp"
#include "roce/work.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::engine {

/// What a QP's rate counts.
enum class RateKind : std::uint8_t {
  kUnlimited,
  kPayloadBytes,  ///< payload bytes per second, spaced packet by packet
  kPackets,       ///< packets per second, spaced packet by packet
  kMessages,      ///< messages per second; the packets of one message follow each other
};

enum class ImmediateKind : std::uint8_t { kFixed, kCounter };
enum class SignalPolicy : std::uint8_t { kAll, kLast, kNone };

/// The messages a QP sends.
struct TrafficConfig {
  board::MessagePlan plan = board::MessagePlan::endless(0);
  std::optional<std::uint64_t> messages;  ///< none: until stopped
  std::uint64_t rate = 0;
  std::uint64_t remote_address = 0;
  std::uint64_t slots = 1;  ///< message n goes to remote_address + (n mod slots)·message_length
  std::uint32_t burst = 1;
  std::uint32_t rkey = 0;
  std::uint32_t immediate = 0;  ///< kFixed: it; kCounter: of message 0
  roce::WrOpcode verb = roce::WrOpcode::kWrite;
  RateKind rate_kind = RateKind::kUnlimited;
  ImmediateKind immediate_kind = ImmediateKind::kFixed;
  SignalPolicy signaled = SignalPolicy::kAll;
  bool solicited = false;

  auto operator<=>(const TrafficConfig&) const = default;
};

/// What the traffic of queue pairs has in common that are configured alike: a configuration whose rate,
/// target and number of messages mean nothing.
struct TrafficProfile {
  explicit TrafficProfile(const TrafficConfig& config);
  TrafficConfig config;
};

/// Makes the work requests of a QP, message after message. Ids are message numbers.
class Traffic {
 public:
  explicit Traffic(const TrafficConfig& config)
      : Traffic(config, Held<TrafficProfile>(TrafficProfile(config))) {}
  /// The profile is that of `config`.
  Traffic(const TrafficConfig& config, Held<TrafficProfile>&& profile);

  /// No further messages.
  void stop() { end_ = made_; }

  bool finished() const { return made_ >= end_; }
  /// The next message. Requires !finished().
  roce::WorkRequest make();
  /// For roce::RequesterProfile: the one that `traffic` made `back` messages ago, as it was but for
  /// `signaled`.
  static roce::WorkRequest again(const void* traffic, std::uint32_t back);
  /// One came from elsewhere, and counts. Where traffic has no messages of its own.
  void count() { end_ = ++made_; }

  std::uint64_t made() const { return made_; }
  const board::MessagePlan& plan() const { return profile_->config.plan; }

 private:
  roce::WorkRequest request(std::uint64_t number) const;  ///< but for `signaled`
  bool signaled(std::uint64_t number) const;

  Held<TrafficProfile> profile_;
  std::uint64_t made_ = 0;
  std::uint64_t end_;  ///< so many messages
  std::uint64_t remote_address_;
  std::uint32_t rkey_;
  std::uint32_t immediate_;
};

}  // namespace softfeb::engine
