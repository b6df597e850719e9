// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "acknowledger.hpp"
#include "base/time.hpp"
#include "dataplane/mempools.hpp"
#include "dataplane/tsc_clock.hpp"
#include "environment.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

struct rte_mbuf;
struct rte_mempool;

namespace softfeb::bench {

struct Event {
  enum class Kind : std::uint8_t {
    kSent,           ///< a frame was passed to tx_burst
    kCnpArrived,     ///< the far end put a CNP into the ring
    kCnpOut,         ///< rx_burst returned a CNP
    kCnpRegistered,  ///< the congestion control of the queue pair has processed the CNP
    kCnpSettled,     ///< the next departure has been updated
    kAway,           ///< the loop iteration that began at time `told` took longer than LoopTime::kAway
  };
  Time at = 0;
  /// Start of the board's loop iteration, which is the time that was passed to the board; 0 for kCnpArrived.
  Time told = 0;
  std::uint32_t qp = 0;
  std::uint32_t psn : 24 = 0;  ///< PSN of a sent frame
  Kind kind = Kind::kSent;
};

/// Stores events for later analysis, in the order in which they are added. Only one thread may write. All
/// memory is allocated in the constructor.
class EventLog {
 public:
  explicit EventLog(std::size_t room) : events_(room) {}

  void add(const Event& e) {
    if (count_ < events_.size()) {
      events_[count_++] = e;
    } else {
      ++lost_;
    }
  }
  /// The last n events, newest last; null if there are fewer.
  Event* last(std::size_t n) { return n <= count_ ? &events_[count_ - n] : nullptr; }
  const Event* begin() const { return events_.data(); }
  const Event* end() const { return events_.data() + count_; }
  /// Number of events that did not fit; if nonzero, the results are invalid.
  std::uint64_t lost() const { return lost_; }

 private:
  std::vector<Event> events_;
  std::size_t count_ = 0;
  std::uint64_t lost_ = 0;
};

/// Returns the sent frames in order. The port may refuse a frame, which is then offered again; only the last
/// event of a frame counts. The log is therefore searched backwards.
inline std::vector<Event> sent_frames(const EventLog& log, std::uint32_t qps) {
  std::vector<Event> frames;
  std::vector<std::uint32_t> later(qps, UINT32_MAX);  // for each queue pair: PSN of the frame added last
  for (const Event* e = log.end(); e != log.begin();) {
    --e;
    if (e->kind != Event::Kind::kSent) continue;
    const std::uint32_t psn = e->psn;
    const bool again = later[e->qp] != UINT32_MAX && ((later[e->qp] - psn - 1) & 0x800000) != 0;
    if (again) continue;
    later[e->qp] = psn;
    frames.push_back(*e);
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

/// A scheduled CNP: its time, counted from the start of the run, and its queue pair.
struct CnpOrder {
  Time after = 0;
  std::uint32_t qp = 0;
};

/// Provides CNPs at scheduled times to a single thread. Checking whether a CNP is due costs one comparison.
class CnpSource {
 public:
  /// The pool belongs to `pools`, which must outlive this object.
  CnpSource(unsigned lcores, dataplane::Mempools& pools);

  /// Sets the schedule. `orders` must be sorted by time; their times count from `began`.
  void begin(std::vector<CnpOrder> orders, Time began, const dataplane::TscClock& clock);

  /// True if a CNP is due at TSC value `tsc`.
  bool due(std::uint64_t tsc) const { return tsc >= next_tsc_; }
  /// Returns the due CNP, which the caller owns, or null if no mbuf is free. Sets `qp` to its queue pair.
  rte_mbuf* take(std::uint32_t& qp);

 private:
  void await();

  rte_mempool* pool_;
  const dataplane::TscClock* clock_ = nullptr;
  std::vector<CnpOrder> orders_;
  std::size_t next_ = 0;
  std::uint64_t next_tsc_ = UINT64_MAX;
  Time began_ = 0;
};

/// The far end of a net_ring on its own lcore. Receives all packets, acknowledges those that request an
/// acknowledgement, and sends scheduled CNPs.
class alignas(128) FarEnd {
 public:
  /// All references must outlive this object. `acknowledge` is false for UC.
  FarEnd(const Environment& environment, std::uint16_t port, bool acknowledge, dataplane::Mempools& pools);

  /// Call only while the lcore is not running.
  CnpSource& cnps() { return cnps_; }
  void launch();
  void join();

  /// Log with a kCnpArrived event for each CNP put into the ring.
  const EventLog& log() const { return log_; }
  /// Number of acknowledgements and CNPs that the ring did not accept.
  std::uint64_t lost() const { return lost_; }

 private:
  static int run(void* self);
  void receive();
  void send(rte_mbuf** frames, std::uint16_t n);
  void send_cnp();

  const Environment& environment_;
  std::uint16_t port_;
  CnpSource cnps_;
  std::optional<Acknowledger> acknowledger_;
  EventLog log_;
  std::uint64_t lost_ = 0;
  std::atomic<bool> stop_{false};
};

}  // namespace softfeb::bench
