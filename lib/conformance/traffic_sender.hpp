// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cdf.hpp"
#include "conformance/flight_log.hpp"
#include "conformance/part_run.hpp"
#include "conformance/traffic_stats.hpp"
#include "conformance/traffic_wire.hpp"
#include "engine/board.hpp"
#include "roce/payload.hpp"

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace softfeb::conformance {

/// The payload of a traffic run: random bytes that repeat after a prime number of bytes, so that messages of
/// equal length differ.
class RandomPayload final : public roce::PayloadStream {
 public:
  explicit RandomPayload(std::uint64_t seed);
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t /*length*/) const override {
    return table_.data() + offset % kPeriod;
  }

 private:
  static constexpr std::uint64_t kPeriod = 1'048'573;
  static constexpr std::uint64_t kLongest = 4'096;  ///< largest path MTU
  std::vector<std::uint8_t> table_;
};

/// softfeb's boards as a traffic run uses them: queue pairs that write messages to the target's first region,
/// with fault rules between the boards and the target. Records what the memory of the target must contain,
/// and checks every acknowledgement. Sans-I/O.
class TrafficSender final : private TrafficWire::Ends {
 public:
  /// `qps` must be open at the target. All references must outlive this object. The trace and the findings
  /// are stored in `result`, with times since `began`.
  TrafficSender(const TrafficSpec& spec, const CaseEnvironment& environment, std::vector<TrafficQp> qps,
                const RegionPlace& region, std::uint64_t seed, Time began, CaseResult& result);

  void start(Time now);
  void on_answer(const Answer& answer, Time now);
  /// Does what is due at `now`, and appends frames that must be sent.
  void run(Time now, Frames& out);
  Time next_event() const { return next_; }
  /// True if all messages are complete, except those of queue pairs that failed.
  bool finished() const;
  /// Time at which the run counts as failed if the target does not acknowledge a new packet before then.
  Time stalled_at() const;

  TrafficStats stats() const;
  std::vector<RuleResult> rules() const { return wire_.rules(); }
  /// Returns the reason why queue pair `k` failed, or an empty text if it did not.
  std::string failure(std::size_t k) const;
  /// Number of messages that queue pair `k` has posted.
  std::uint64_t messages(std::size_t k) const { return qp(k).messages_made(); }
  /// The required contents of the first region at this time. Empty if they are unknown: if queue pairs share
  /// slots, the order of their writes is unknown. If queue pairs may fail, the number of their writes is
  /// unknown.
  const std::vector<std::uint8_t>& memory() const { return memory_; }
  const std::vector<TrafficQp>& qps() const { return qps_; }

 private:
  static constexpr std::size_t kBurst = 32;
  /// While the port has more unsent frames than this, run() sends nothing.
  static constexpr std::size_t kMostWaiting = 256;
  static constexpr std::size_t kMostPerRun = 1'024;
  /// All of the first kFirstTraced packets are traced. After these, only packets to which a fault was applied
  /// and answers other than correct ACKs are traced.
  static constexpr std::size_t kFirstTraced = 400;

  void leave(const FaultFrame& frame, TracePacket::Fault fault, Time now) override;
  void lost(const FaultFrame& frame, Time now) override;
  void reach(const FaultFrame& frame, Time now) override;

  void make_board(std::uint32_t address, bool clean);
  engine::SendQpConfig qp_config(std::uint32_t k, const roce::Path& path) const;
  engine::TrafficConfig traffic_config(std::uint32_t k) const;
  std::uint32_t longest_message() const;
  bool poll(std::size_t board, Time now);
  void send(const engine::TxFrame& frame, Time now);
  void stop_if_over(Time now);
  void write(const FaultFrame& frame);
  void trace(const FaultFrame& frame, TracePacket::Judgement judgement, TracePacket::Fault fault, Time now);
  void trace(const Answer& answer, std::uint32_t qp, const std::string& wrong, Time now);
  void find(const char* checker, const std::string& text);
  std::string check(const Answer& answer, std::uint32_t qp);
  const engine::SendQp& qp(std::size_t k) const { return boards_[board_of_[k]]->qp(on_board_[k]); }
  engine::SendQp& qp(std::size_t k) { return boards_[board_of_[k]]->qp(on_board_[k]); }

  const TrafficSpec& spec_;
  const CaseEnvironment& environment_;
  std::vector<TrafficQp> qps_;
  RegionPlace region_;
  Time began_;
  CaseResult& result_;
  RandomPayload payload_;
  std::vector<FlightLog> logs_;  ///< one for each queue pair
  TrafficWire wire_;
  std::optional<Cdf> lengths_;  ///< uniform distribution from the shortest to the longest length
  std::vector<std::unique_ptr<engine::Board>> boards_;
  /// Board of each queue pair, and index of the queue pair on this board.
  std::vector<std::uint32_t> board_of_, on_board_;
  std::unordered_map<roce::Qpn, std::uint32_t> by_remote_, by_own_;
  std::vector<std::uint8_t> memory_;
  TrafficStats stats_;
  Time next_ = 0;
  Time stop_at_ = kNever;
  bool stopped_ = false;
  Time progress_ = 0;
  std::uint64_t retransmitted_ = 0;
  Frames* out_ = nullptr;  ///< frames to be sent; set during run() only
  Frames late_;            ///< frames that became due outside run(); the next run() sends them
  std::array<std::array<std::uint8_t, engine::TxFrame::kHeaderRoom>, kBurst> rooms_{};
};

}  // namespace softfeb::conformance
