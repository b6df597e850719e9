// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/case_task.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

namespace softfeb::conformance {

/// Carries out a case that the catalogue describes as steps. The parts of the case run one after the other,
/// each on new queue pairs.
class CaseRun final : public CaseTask {
 public:
  /// `c` and `environment` must outlive the object. The object takes the QPNs of the board from `next_qpn`,
  /// and advances `next_qpn`.
  CaseRun(const Case& c, const CaseEnvironment& environment, std::uint64_t seed, roce::Qpn& next_qpn,
          Time now);

  bool owns(roce::Qpn qpn) const override { return part_ && part_->owns(qpn); }
  void on_answer(const Answer& answer, Time now) override { part_->on_answer(answer, now); }
  void on_foreign(const Answer& answer, Time now) override;
  std::optional<TargetRequest> take_request() override {
    return part_ ? part_->take_request() : std::nullopt;
  }
  void on_reply(const TargetReply& reply, Time now) override;
  void run(Time now, Frames& out) override;
  Time next_event() const override { return part_ ? std::min(part_->next_event(), limit_) : kNever; }

  bool done() const override { return !part_; }
  bool target_gone() const override { return gone_; }
  CaseResult take_result(Time now) override;

 private:
  void begin_part(Time now);
  void end_part(Time now);
  void number_parts();
  bool is_known() const;
  std::set<std::uint32_t> qps_that_differ() const;
  bool gives(const Deviation& deviation, std::uint32_t qp) const;

  const Case& case_;
  const CaseEnvironment& environment_;
  Rng rng_;
  roce::Qpn& next_qpn_;
  Time began_;
  Time limit_;              ///< time at which the case is aborted
  std::size_t number_ = 0;  ///< index of the current part
  std::unique_ptr<PartRun> part_;
  std::size_t from_ = 0;          ///< index of the current part's first packet in the trace
  std::size_t missing_from_ = 0;  ///< index of the current part's first missing answer
  CaseResult result_;
  bool failed_ = false;
  bool known_ = true;  ///< every failure so far is a deviation that the profile lists
  bool gone_ = false;
};

}  // namespace softfeb::conformance
