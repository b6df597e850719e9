// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/part_run.hpp"

#include <optional>
#include <vector>

namespace softfeb::conformance {

/// A queue pair that exists for the whole run. Before and after each case, a WRITE on it shows whether the
/// target and the path still work.
class Canary {
 public:
  enum class State : std::uint8_t {
    kClosed,
    kIdle,     ///< the latest WRITE was acknowledged, or none was sent
    kWaiting,  ///< waiting for the acknowledgement
    kLost,     ///< none of kTries WRITEs was acknowledged
  };

  /// Opens the canary. `remote` is the QPN of the target, and `psn` is the PSN that the target expects.
  /// `region` is the memory to which the WRITEs go; if it is null, they go to the first region of the
  /// environment.
  void open(const CaseEnvironment& environment, roce::Qpn own, roce::Qpn remote, roce::Psn psn,
            const RegionPlace* region = nullptr);
  bool owns(roce::Qpn qpn) const { return script_ && qpn == own_; }
  roce::Qpn remote() const { return script_->setup().dest_qp; }
  State state() const { return state_; }

  /// Starts a check by sending a WRITE. Until the WRITE is acknowledged, run() repeats it at intervals of
  /// `limit`. If none of kTries WRITEs is acknowledged, the state becomes kLost.
  void check(Time now, Time limit, Frames& out);
  void on_answer(const Answer& answer, Time now);
  void run(Time now, Frames& out);
  Time next_event() const { return state_ == State::kWaiting ? deadline_ : kNever; }

  /// Round-trip times of all WRITEs that were acknowledged on the first try.
  const std::vector<Time>& round_trips() const { return round_trips_; }
  std::uint64_t answers() const { return answers_; }  ///< number of packets received for this queue pair
  const std::string& last_answer() const { return last_answer_; }

 private:
  static constexpr unsigned kTries = 3;

  void send(Time now, Frames& out);

  std::optional<Script> script_;
  roce::Qpn own_ = 0;
  roce::Psn next_ = 0;
  State state_ = State::kClosed;
  unsigned tries_ = 0;
  Time sent_ = 0;
  Time limit_ = 0;
  Time deadline_ = 0;
  std::vector<Time> round_trips_;
  std::uint64_t answers_ = 0;
  std::string last_answer_;
};

}  // namespace softfeb::conformance
