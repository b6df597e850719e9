// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/mac_control.hpp"
#include "roce/path.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace softfeb::engine {

using roce::PauseMode;

/// Default map from DSCP to priority for untagged frames: the class selector, as in most switches.
constexpr std::array<std::uint8_t, 64> default_priorities() {
  std::array<std::uint8_t, 64> map{};
  for (unsigned dscp = 0; dscp < map.size(); ++dscp) map[dscp] = static_cast<std::uint8_t>(dscp >> 3);
  return map;
}

struct PauseConfig {
  PauseMode mode = PauseMode::kPause;
  /// Rate in bytes per second on the wire, used to convert pause quanta (512 bit times) to time. 0 means 10
  /// Gb/s, as in the board's MAC.
  std::uint64_t link_rate = 0;
  /// Map from DSCP to priority, used by kPfc. Values must be less than kPriorities.
  std::array<std::uint8_t, 64> dscp_to_priority = default_priorities();
};

/// Pause state of a MAC: the time before which no frame may start. A pause frame replaces earlier ones
/// (with PFC, only for the priorities that it enables). A pause frame with 0 quanta ends a pause. A frame
/// in transmission is completed.
class PauseState {
 public:
  explicit PauseState(const PauseConfig& config) : config_(config) {
    if (config_.link_rate == 0) config_.link_rate = 1'250'000'000;
  }

  /// Processes a pause frame. Returns a bit mask of the priorities that may resume earlier than the previous
  /// pause frame required. Returns nullopt if the frame is not of the configured kind.
  std::optional<std::uint8_t> receive(const roce::MacControl& control, Time now) {
    using Kind = roce::MacControl::Kind;
    const bool pfc = control.kind == Kind::kPfc;
    if (config_.mode != (pfc ? PauseMode::kPfc : PauseMode::kPause)) return std::nullopt;
    total_ = total(now);
    since_ = now;
    std::uint8_t earlier = 0;
    for (std::size_t p = 0; p < until_.size(); ++p) {
      if (pfc && (control.enabled >> p & 1) == 0) continue;
      const Time until = now + roce::pause_time(control.quanta[pfc ? p : 0], config_.link_rate);
      if (until < until_[p]) earlier |= static_cast<std::uint8_t>(1U << p);
      until_[p] = until;
    }
    last_ = *std::max_element(until_.begin(), until_.end());
    return earlier;
  }

  bool per_priority() const { return config_.mode == PauseMode::kPfc; }
  /// Time from which a frame of this priority may start; in the past if the priority is not paused.
  Time until(std::uint8_t priority) const { return until_[priority]; }
  bool paused(std::uint8_t priority, Time now) const { return now < until_[priority]; }
  /// True if any priority is paused.
  bool any(Time now) const { return now < last_; }
  /// Total time during which any priority was paused.
  Time total(Time now) const {
    return total_ + (std::min(now, last_) > since_ ? std::min(now, last_) - since_ : 0);
  }

  /// Priority of a frame, 0 … kPriorities - 1; always 0 without PFC.
  std::uint8_t priority(std::uint8_t dscp, const std::optional<std::uint8_t>& pcp) const {
    if (!per_priority()) return 0;
    return pcp ? *pcp : config_.dscp_to_priority[dscp];
  }
  std::uint8_t priority(const roce::HeaderTemplate& headers) const {
    return per_priority() ? priority(headers.dscp(), headers.pcp()) : 0;
  }

 private:
  PauseConfig config_;
  std::array<Time, roce::kPriorities> until_{};
  Time last_ = 0;  ///< latest time in until_
  Time since_ = 0;
  Time total_ = 0;
};

}  // namespace softfeb::engine
