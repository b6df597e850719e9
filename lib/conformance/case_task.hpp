// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/part_run.hpp"

#include <optional>

namespace softfeb::conformance {

/// One attempt of a case. Sans-I/O: the caller passes time and answers, sends frames, and carries out one
/// request at a time.
class CaseTask {
 public:
  virtual ~CaseTask() = default;
  /// True if answers to `qpn` belong to this attempt.
  virtual bool owns(roce::Qpn qpn) const = 0;
  virtual void on_answer(const Answer& answer, Time now) = 0;
  /// Processes an answer for a queue pair that no longer exists.
  virtual void on_foreign(const Answer& answer, Time now) = 0;
  /// Returns each request once; std::nullopt if there is none, or if the previous one has not been answered.
  virtual std::optional<TargetRequest> take_request() = 0;
  virtual void on_reply(const TargetReply& reply, Time now) = 0;
  /// Does what is due at `now`, and appends frames that must be sent.
  virtual void run(Time now, Frames& out) = 0;
  /// Time at which run() must be called again; kNever if the task waits for a reply.
  virtual Time next_event() const = 0;
  virtual bool done() const = 0;
  /// True if the target no longer carries out requests.
  virtual bool target_gone() const = 0;
  /// Valid once done() is true. The verdict is kPass, kFail, kKnownDeviation, kMeasured or kInconclusive.
  virtual CaseResult take_result(Time now) = 0;
};

}  // namespace softfeb::conformance
