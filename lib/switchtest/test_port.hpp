// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "base/segments.hpp"
#include "engine/host.hpp"
#include "engine/tx_frame.hpp"
#include "fabric/pause.hpp"
#include "fabric/wire_time.hpp"
#include "switchtest/arrival_log.hpp"
#include "switchtest/board_pace.hpp"
#include "switchtest/frame_writer.hpp"
#include "switchtest/responder.hpp"
#include "switchtest/rig.hpp"
#include "switchtest/trial.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::switchtest {

/// One port of a rig, which carries out its part of a trial. The port sends frames and pause frames at given
/// times, and obeys or ignores the pause frames of the switch. It passes arrivals to its ArrivalLog, and
/// answers RC frames, ARP requests, neighbour solicitations and pings. The port does no I/O itself
/// (sans-I/O), has a single owner, and does not allocate memory during a trial.
///
/// The port models its transmitter: a frame starts when it is due, the link is free and no pause forbids it.
/// Pause frames are sent first. Call poll() no later than next_event(); a late call delays frames.
/// TrialResult::late_max is the largest delay of a frame relative to the time at which it would have left if
/// every call had been in time.
class TestPort {
 public:
  /// `ports` are all ports of the rig, and `number` is the index of this port. One clock reading serves
  /// several frames, so a frame may seem to arrive before it departed. If the difference is at most
  /// `clock_error`, the delay of the frame counts as 0.
  TestPort(const std::vector<RigPort>& ports, std::uint16_t number, Time clock_error = 0);
  ~TestPort();
  TestPort(const TestPort&) = delete;
  TestPort& operator=(const TestPort&) = delete;

  /// Prepares this port's part of a trial, which starts at `start` on the clock that poll() and receive()
  /// use. `trial` must exist until the trial has ended. `id` must differ from the ids of earlier trials,
  /// whose frames may still arrive.
  void prepare(const Trial& trial, std::uint16_t id, Time start);
  /// Adds this port's part of the result. Call after the trial has ended.
  void collect(TrialResult& out) const;

  /// Takes a frame whose last bit arrived at `at`. The bytes are untrusted.
  void receive(const Segments& frame, Time at);
  /// Writes the frames that may leave at `now`, and the frames that wait only for the link and can start
  /// until `now` + `ahead`. Returns the number of frames. The caller must set TxFrame::header in each element
  /// of `out`. If `ahead` is 0, poll() writes at most one frame, because the link is busy afterwards.
  /// Otherwise, the NIC's queue holds the other frames until the link is free.
  std::size_t poll(Time now, std::span<engine::TxFrame> out, Time ahead = 0);
  /// Earliest time at which poll() has work; kNever if poll() has no work until a frame arrives.
  Time next_event() const;

  std::uint16_t number() const { return number_; }

 private:
  /// A source of this port.
  struct Generator {
    const Source* source = nullptr;
    std::size_t index = 0;  ///< index into Trial::sources
    Rng rng;
    Time due = kNever;  ///< time at which the next frame is due; kNever if none is left
    Time planned = 0;   ///< time at which the next frame would be due if all frames had left in time
    std::uint64_t sent = 0;
    std::uint16_t kind = 0;             ///< kind of the next frame
    Time skew = 0;                      ///< how late the first frame left
    std::unique_ptr<BoardPace> pace{};  ///< null if the source is not a board
  };
  struct Control {
    Time at = 0;
    roce::MacControl control;
    Time lapse = kNever;  ///< end of the pause that this frame renews; kNever if it renews none
  };
  /// The frame that leaves next.
  struct Next {
    enum class What : std::uint8_t { kNothing, kControl, kAnswer, kRcAnswer, kData } what = What::kNothing;
    Time at = kNever;
    /// Time at which the frame could leave if the link were always free; `at` takes the link into account.
    Time ready = kNever;
    std::size_t generator = 0;
  };

  void add_freeze(const Freeze& freeze);
  void obey(const roce::MacControl& control, Time at);
  void add_generator(const Source& source, std::size_t index);
  void take_answer(const RcAnswer& answer, Time at);
  void ask_boards(Time now);
  Next next() const;
  Time departure(const Generator& g) const;
  Time planned(const Next& next) const;
  void write(const Next& next, Time departs, engine::TxFrame& out);
  void write_control(Time departs, engine::TxFrame& out);
  void write_data(Generator& g, Time departs, engine::TxFrame& out);
  static void choose_kind(Generator& g);
  Time wire_time_of(std::uint32_t length) const;

  const std::vector<RigPort>& ports_;
  std::uint16_t number_;
  engine::Host host_;   ///< answers requests to the IPv4 address
  engine::Host host6_;  ///< answers requests to the IPv6 address
  Time asked_at_ = 0;   ///< time at which the latest ARP or ICMP frame arrived
  std::unique_ptr<FrameWriter> writer_;
  ArrivalLog log_;
  Responder responder_;
  std::uint8_t answer_priority_ = 0;
  std::vector<Cnp> cnps_;  ///< CNPs that this port has received
  bool overflowed_ = false;
  const Trial* trial_ = nullptr;
  Time start_ = 0;
  std::vector<Generator> generators_;
  std::vector<Control> controls_;  ///< in the order of their times
  std::size_t next_control_ = 0;
  std::vector<PauseSent> sent_pauses_;
  std::vector<std::uint8_t> priority_of_;  ///< PFC priority of each kind
  fabric::WireTime wire_;
  Time free_at_ = 0;       ///< time from which the link is free
  Time plan_free_at_ = 0;  ///< time from which the link would be free if all frames had left in time
  fabric::PauseState pause_;
  std::deque<std::pair<Time, roce::MacControl>> pending_;  ///< pause frames that take effect later
  Obedience obedience_;
  std::vector<KindStats> sent_;  ///< for each kind, counts of the frames that this port has sent
  Time late_max_ = 0;
  bool lapsed_ = false;  ///< true if the port renewed a freeze too late
  Time clock_error_;
};

/// Returns the result of a trial that all ports of a rig have ended.
TrialResult collect(const Trial& trial, const std::vector<std::unique_ptr<TestPort>>& ports);

}  // namespace softfeb::switchtest
