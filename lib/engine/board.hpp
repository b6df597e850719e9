// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/endpoint.hpp"
#include "engine/link_shaper.hpp"
#include "engine/qp_table.hpp"
#include "engine/ready_queue.hpp"
#include "engine/send_qp.hpp"
#include "engine/shared_rates.hpp"
#include "engine/timing_wheel.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace softfeb::engine {

struct BoardConfig {
  Identity identity;
  std::uint64_t link_rate = 0;  ///< bytes per second on the wire, 0 = no limit
  std::vector<SendQpConfig> qps;
};

/// One emulated front-end board at work: its queue pairs, each at its pace, above one link. Packets of
/// different QPs take turns. Everything that decides what leaves when is here.
class Board : public Endpoint {
 public:
  explicit Board(const BoardConfig& config);

  /// Traffic begins: schedules start at `now`.
  void start(Time now);
  /// No further messages; what is posted goes on.
  void stop_traffic(Time now);
  /// Everything unfinished completes as flushed.
  void flush(Time now);
  /// New parameters for the congestion control of QP `i` (and of those that share it), in force at once.
  /// False when it has none of that kind.
  bool set_congestion(std::uint32_t i, const CongestionProfile& profile, Time now);
  /// Every QP has made its messages and seen their completions.
  bool finished() const { return unfinished_ == 0; }

  std::size_t poll(Time now, std::span<TxFrame> out) override;
  Time next_event(Time now) const override;
  void control_frame_sent(std::uint32_t length, Time now) override;

  std::size_t qp_count() const { return qps_.size(); }
  const SendQp& qp(std::size_t i) const { return qps_[i]; }
  SendQp& qp(std::size_t i) { return qps_[i]; }
  /// Next hops whose MAC address is not known (yet). Who does not answer kArpTries requests, a second apart,
  /// is given up: the QPs that need it go to ERR.
  std::size_t unresolved() const { return resolutions_.size(); }
  const LinkShaper& link() const { return link_; }

 protected:
  void receive_roce(const roce::ParsedFrame& frame, Time now) override;
  void neighbour_learned(const roce::IpAddress& ip, Time now) override;

 private:
  /// A neighbour some QPs wait for.
  struct Resolution {
    roce::IpAddress next_hop;
    Time retry_at = 0;
    unsigned asked = 0;
    std::vector<std::uint32_t> waiting;
  };

  /// Puts QP `i` where it belongs after something about it changed: the ready queue, the departure wheel, its
  /// timer.
  void settle(std::uint32_t i, Time now);
  void place(std::uint32_t i, Time at, Time now);
  /// Wakes the first of those that share a rate when it may send, and sees to it that it is woken then.
  void call_next(std::uint32_t line, Time now);
  /// Takes those whose departure has come out of the wheel.
  void wake(Time now);
  void watch_timer(std::uint32_t i, Time now);
  void run_timers(Time now);
  void resolve(Time now);
  dcqcn::CongestionControl* congestion_for(const SendQpConfig& config, std::uint32_t i);
  void give_up(const Resolution& r, Time now);
  std::size_t send_packets(Time now, std::span<TxFrame> out);

  LinkShaper link_;
  std::vector<std::unique_ptr<dcqcn::CongestionControl>> congestion_;
  std::vector<SendQp> qps_;
  QpTable table_;
  SharedRates shared_;
  TimingWheel departures_;  ///< of queue pairs; behind them of the lines of `shared_`
  std::vector<std::uint32_t> woken_;
  TimingWheel timers_;
  ReadyQueue ready_;
  struct Group {
    dcqcn::CongestionControl* control = nullptr;
    std::uint32_t line = SharedRates::kNone;
  };
  std::map<std::uint32_t, Group> groups_;
  std::vector<Resolution> resolutions_;
  std::vector<std::uint8_t> finished_;  ///< by QP, so that nobody need ask them all
  std::size_t unfinished_ = 0;
  std::uint16_t identification_ = 0;  ///< IPv4, counts up per packet as the firmware's does
};

}  // namespace softfeb::engine
