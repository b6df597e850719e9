// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "conformance/fault_frames.hpp"
#include "conformance/result.hpp"
#include "conformance/traffic_spec.hpp"
#include "faults/rule_actions.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::conformance {

/// The two ends of a queue pair of a traffic run.
struct TrafficQp {
  roce::IpAddress board;
  roce::IpAddress target;
  roce::Qpn own = 0;     ///< QPN of the board
  roce::Qpn remote = 0;  ///< QPN of the target
  roce::Psn first_psn = 0;
  bool clean = false;  ///< no rule and no random loss applies to it
};

/// The path between the boards of a traffic run and the target. Applies the fault rules and the random losses
/// of the run in both directions. Sans-I/O.
class TrafficWire {
 public:
  /// Receives the packets that get through, and those that are dropped.
  class Ends {
   public:
    virtual ~Ends() = default;
    /// A packet leaves for the target.
    virtual void leave(const FaultFrame& frame, TracePacket::Fault fault, Time now) = 0;
    /// A packet to the target was dropped.
    virtual void lost(const FaultFrame& frame, Time now) = 0;
    /// An answer reaches the sender.
    virtual void reach(const FaultFrame& frame, Time now) = 0;
  };

  /// `spec` and `ends` must outlive the object.
  TrafficWire(const TrafficSpec& spec, const std::vector<TrafficQp>& qps, std::uint64_t seed, Ends& ends);

  /// Returns an empty frame for send() or receive().
  FaultFrame* take() { return frames_.take(); }
  /// Takes ownership of a request. If `exempt` is true, no fault applies to it.
  void send(FaultFrame* frame, bool exempt, Time now);
  /// Takes ownership of an answer. If `exempt` is true, no fault applies to it.
  void receive(FaultFrame* frame, bool exempt, Time now);
  /// Passes on held packets that are due.
  void run(Time now);
  /// Time at which the next held packet is due; kNever if no packet is held.
  Time next_event() const;

  /// Returns the rules, in order, each with the number of packets to which it was applied.
  std::vector<RuleResult> rules() const;

 private:
  using Actions = faults::RuleActions<FaultFrames>;
  struct ToTarget;
  struct ToSender;

  /// Applies the losses and rules of one direction, unless `exempt` is true. The rules are those of
  /// `actions`; the packets that leave are passed to `exit`.
  template <class Exit>
  void pass(FaultFrame* frame, bool exempt, Actions& actions, Exit& exit, Time now);
  bool lose() { return spec_.loss != 0 && rng_.chance(spec_.loss); }

  const TrafficSpec& spec_;
  Rng rng_;
  Ends& ends_;
  FaultFrames frames_;
  Actions tx_, rx_;
};

}  // namespace softfeb::conformance
