// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/archive.hpp"
#include "fabric/flow_table.hpp"
#include "fabric/slice.hpp"
#include "simulator/crossing.hpp"
#include "simulator/event_loop.hpp"
#include "simulator/exchange.hpp"
#include "simulator/logged_stamps.hpp"
#include "simulator/parting.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace softfeb::simulator {

/// Event loops that simulate a network in parts, in one process or in several. The result is the same as that
/// of a single event loop, event by event. Each part runs for a window of time, and then sends the frames for
/// the other parts. A window lasts at most half the delay of the links between parts, so frames that are sent
/// in window n arrive in window n + 2 or later. A part can therefore run window n + 1 before it has received
/// these frames: it does not wait for the other parts, and the frames travel between processes in the
/// meantime.
///
/// All processes must make the same calls in the same order. With a single part, this class only forwards
/// calls to one EventLoop.
class PartedLoop final : public Simulation {
 public:
  /// `exchange` must outlive this object. `arena` is explained at CrossingCodec. `stamps` records the times
  /// of messages in the parts of this process, and must outlive this object. If it is null, times are not
  /// recorded.
  PartedLoop(const fabric::NetworkConfig& config, const std::vector<Seat>& seats, const Parting& parting,
             Exchange& exchange, std::vector<ByteSpan> arena, LoggedStamps* stamps = nullptr);
  PartedLoop(const PartedLoop&) = delete;
  PartedLoop& operator=(const PartedLoop&) = delete;

  Time now() const override { return now_; }
  /// Runs all events up to and including `end`. Throws std::runtime_error like EventLoop.
  void run_until(Time end) override;
  /// Calls `what`, which may change endpoint `seat` at now(), in the process that simulates this endpoint.
  void change(std::size_t seat, const std::function<void()>& what) override;
  /// True if this process simulates endpoint `seat`.
  bool simulates(std::size_t seat) const override { return loop_of(seat) != nullptr; }
  /// True if no frame is in flight in any process.
  bool empty() override;

  /// Makes the networks of this process report to `stamps` (fabric::Network::report_times()).
  void report_times(latency::Stamps& stamps) override {
    for (const auto& loop : loops_) loop->network().report_times(stamps);
  }
  fabric::NetworkSnapshot make_snapshot() const override { return loops_.front()->network().make_snapshot(); }
  /// Takes a snapshot of the network. With several processes, only process 0 gets the snapshot of the whole
  /// network. Throws std::runtime_error if a part lost frames because its FramePool was full.
  void take_snapshot(fabric::NetworkSnapshot& out) override;
  /// Passes the recorded times of all processes to `table` in process 0, in the order in which a single event
  /// loop would have recorded them.
  void collect_stamps(latency::Stamps* table) override;

  /// events() and passed_over() return the sums of EventLoop's counters over all parts. With several
  /// processes, the sums are available only in process 0, and are those of the last snapshot.
  std::uint64_t events() const override { return whole() ? loops_.front()->events() : events_; }
  std::uint64_t passed_over() const override {
    return whole() ? loops_.front()->passed_over() : passed_over_;
  }

 private:
  using Bytes = Exchange::Bytes;

  bool whole() const { return slices_.empty(); }
  EventLoop* loop_of(std::size_t seat) const;
  void make_slices(const fabric::NetworkConfig& config);
  void connect(const fabric::NetworkConfig& config);
  void run_window(Time end);
  void complete_swap();
  void enter(ByteSpan frames);
  void write_snapshot(std::size_t loop, ArchiveWriter& out);
  void count_flows(std::span<const std::vector<EventLoop::NewFlow>> begun,
                   const std::vector<fabric::FlowSnapshot>& counted, fabric::NetworkSnapshot& out);

  const Parting parting_;
  Exchange& exchange_;
  const CrossingCodec codec_;
  LoggedStamps* stamps_;
  std::uint32_t first_part_ = 0;  ///< index of the first part that this process simulates
  /// Slices of all parts, including those of other processes; empty if there is only one part.
  std::vector<fabric::Slice> slices_;
  std::vector<std::unique_ptr<EventLoop>> loops_;  ///< parts of this process
  std::vector<std::uint32_t> part_into_;           ///< indexed by link direction: part at the receiving end
  std::vector<std::uint32_t> part_of_seat_;
  /// Frames to be sent to each process: [0] from the last window, [1] from the window before it.
  std::array<std::vector<Bytes>, 2> out_;
  Bytes in_;
  Time now_ = 0;
  Time earliest_ = 0;   ///< no event in any process is before this time
  Time sent_ = kNever;  ///< earliest arrival of the frames that this process sent in the last window
  std::uint64_t step_ = 0;
  fabric::FlowTable flows_;          ///< flows of the whole network, in process 0
  fabric::NetworkSnapshot of_part_;  ///< buffer for the snapshot of one part
  std::uint64_t events_ = 0, passed_over_ = 0;
};

}  // namespace softfeb::simulator
