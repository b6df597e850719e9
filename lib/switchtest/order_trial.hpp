// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/queue_groups.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// Finds out in which order frames leave the queues of port D. The queues fill up while port D pauses the
/// switch or, if no pause stops the frames, while senders overload port D.
class OrderTrials {
 public:
  /// The trials send frames of the kinds in `items`. `freeze` is a pause that stops all of these frames; the
  /// port and the times of `freeze` are ignored. If `freeze` is empty, ports A and B overload port D instead.
  OrderTrials(Context& ctx, const std::vector<FrameKind>& items, std::optional<Freeze> freeze);

  /// True if ports A and B together can send enough to fill a queue of port D.
  static bool can_overload(const Context& ctx);

  /// Answers a question of groups_by_order(). Returns std::nullopt if there is no answer; failure() is then
  /// the reason.
  std::optional<std::vector<bool>> answer(const OrderQuestion& question);
  const std::string& failure() const { return failure_; }
  /// True if the latest answer() failed because of the rig, not because of the switch.
  bool rig_failed() const { return rig_failed_; }

 private:
  struct Plan {
    Trial trial;
    std::vector<std::uint16_t> others;  ///< kinds of the frames from port A, by position in the question
    std::uint16_t item = 0;
    Time released = 0;
  };

  std::uint64_t train_length(std::size_t items) const;
  std::optional<std::vector<std::optional<bool>>> answer_part(const OrderQuestion& question);
  bool answer_alone(const OrderQuestion& question, std::vector<std::optional<bool>>& changed);
  Plan plan(const OrderQuestion& question) const;
  Plan empty_plan(const OrderQuestion& question) const;
  Time add_train(Plan& plan, const std::vector<std::uint16_t>& kinds, std::uint64_t count, Time start) const;
  void add_fillers(Plan& plan, const std::vector<std::uint16_t>& kinds, Time start, Time end) const;
  std::optional<TrialResult> run(const Plan& plan);

  Context& ctx_;
  const std::vector<FrameKind>& items_;
  std::optional<Freeze> freeze_;
  std::uint32_t longest_ = 0;  ///< length of the longest frame of all items
  /// Number of frames that are already waiting when the last frames of a question arrive.
  std::uint64_t backlog_ = 256;
  std::size_t most_others_ = SIZE_MAX;  ///< maximum number of `others` in one trial
  std::string failure_;
  bool rig_failed_ = false;
};

}  // namespace softfeb::switchtest
