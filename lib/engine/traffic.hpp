// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
};

/// Makes the work requests of a QP, message after message. Ids are message numbers.
class Traffic {
 public:
  explicit Traffic(const TrafficConfig& config) : config_(config) {}

  /// No further messages.
  void stop() { config_.messages = made_; }

  bool finished() const { return config_.messages && made_ >= *config_.messages; }
  /// The next message. Requires !finished().
  roce::WorkRequest make();

  std::uint64_t made() const { return made_; }
  const TrafficConfig& config() const { return config_; }

 private:
  bool signaled(std::uint64_t number) const;

  TrafficConfig config_;
  std::uint64_t made_ = 0;
};

}  // namespace softfeb::engine
