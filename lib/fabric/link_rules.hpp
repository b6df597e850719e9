// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/forwarding.hpp"
#include "fabric/frame.hpp"
#include "faults/location.hpp"
#include "faults/rule_actions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// Provides the frames of a network as packets that fault rules change, copy and hold (faults::RuleActions).
class RuledFrames {
 public:
  using Packet = Frame*;

  /// All arguments must outlive this object. `cc_port` is the UDP port of frames with a congestion control
  /// header.
  RuledFrames(FrameStore& store, const AddressTable& addresses, std::uint16_t cc_port)
      : store_(store), addresses_(addresses), cc_port_(cc_port) {}

  std::uint16_t cc_port() const { return cc_port_; }

  Frame* copy(const Frame* frame);
  MutableByteSpan writable(Frame* frame);
  /// Parses the changed frame again, because switches must treat it according to its new contents.
  void edited(Frame* frame, std::size_t size);
  /// Always true, because a frame in the network may stay there for any time.
  static bool prepare_hold(const Frame*) { return true; }
  void release(Frame* frame) { store_.release(frame); }

 private:
  static constexpr std::size_t kMacSize = 6;

  FrameStore& store_;
  const AddressTable& addresses_;
  std::uint16_t cc_port_;
  std::array<std::uint8_t, kMacSize> destination_{};  ///< destination MAC address before the frame is changed
};

/// The fault rules of one direction of a link (doc/faults.md). They act on frames that have left the
/// transmitter: a frame occupies the link as if there were no rules, and then arrives changed, late, several
/// times, or not at all.
class LinkRules {
 public:
  LinkRules(const LinkFaults& faults, const RuledFrames& frames);

  /// Applies the rules to a frame that would arrive at `arrival` without rules. Frames must be passed in the
  /// order of their arrival. Returns false, and does nothing, if no rule applies to the frame's queue pair.
  /// faults::RuleActions describes `exit`.
  template <class Exit>
  bool apply(Frame* frame, Exit& exit, Time arrival) {
    const ByteSpan headers(frame->header, std::min<std::size_t>(frame->header_length, frame->length));
    const auto at = faults::locate_roce(headers, frames_.cc_port());
    if (!at) return false;
    const faults::FaultRules::Judgement judged = actions_.judge(headers, *at);
    if (judged.qp == faults::FaultRules::kNone) return false;
    actions_.apply(frame, *at, judged, exit, arrival);
    return true;
  }

  /// Arrival time of the next held frame; kNever if no frame is held.
  Time next_arrival() const { return actions_.next_due(); }
  /// Removes and returns the held frame that arrives at next_arrival().
  Frame* arrive() { return actions_.take_due(actions_.next_due()); }
  std::size_t held() const { return actions_.held(); }

  /// Indexed like LinkFaults::rules.
  const std::vector<faults::RuleCounters>& counters() const { return actions_.counters(); }

 private:
  RuledFrames frames_;
  faults::RuleActions<RuledFrames> actions_;
};

}  // namespace softfeb::fabric
