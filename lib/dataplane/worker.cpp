// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/worker.hpp"

#include "dataplane/error.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>
#include <sys/prctl.h>

namespace softfeb::dataplane {

namespace {
// Maximum number of QPs per iteration in a snapshot or a change. A QP with congestion control takes up to
// 0.25 µs.
constexpr std::size_t kSliceQps = 8;
constexpr std::uint64_t kPublishEvery = 1024;      // interval between publications, in iterations
constexpr Time kLeaveWithin = 100 * kMillisecond;  // time limit to send pending packets at the end
constexpr Time kLongestSleep = 50 * kMicrosecond;
/// After this time without a packet, the worker waits for signals or, without them, polls less often.
constexpr Time kQuiet = kMillisecond / 2;
constexpr Time kLongestQuietSleep = 150 * kMicrosecond;
/// A long wait ends this long before the next event, because a CPU sleeps more deeply during a long wait, and
/// then takes longer to wake up.
constexpr Time kWakeEarly = 250 * kMicrosecond;
/// Spin for this long before a board's start or stop time, so that the board starts or stops on time.
constexpr Time kAwakeBeforeStart = 300 * kMicrosecond;
}  // namespace

Worker::Worker(unsigned lcore, IdlePolicy idle, const TscClock& clock, const Mailbox<TscClock>* updates)
    : lcore_(lcore), idle_policy_(idle), clock_(clock), clock_updates_(updates) {
  if (idle_policy_ == IdlePolicy::kSleep) idle_wait_ = std::make_unique<IdleWait>();
}

void Worker::add_port_queue(std::unique_ptr<PortQueue> port_queue) {
  if (idle_wait_ && port_queue->must_poll()) idle_wait_->must_poll();
  port_queues_.push_back(std::move(port_queue));
}

bool Worker::command(const Command& command) { return notify(commands_.push(command)); }

bool Worker::request(BoardRequest& request) { return notify(board_requests_.push(request)); }

bool Worker::request(ReceiverRequest& request) { return notify(receiver_requests_.push(request)); }

bool Worker::notify(bool queued) {
  if (queued && idle_wait_) idle_wait_->doorbell().ring();
  return queued;
}

void Worker::add_board(engine::Board& board, const engine::BoardTimes& times) {
  endpoints_.push_back(&board);
  boards_.push_back(&board);
  schedule_.add(board, times);
}

void Worker::launch() {
  // Publish the statistics before the thread starts. Otherwise, boards that have not started would look
  // finished.
  publish();
  if (rte_eal_remote_launch(&Worker::entry, this, lcore_) != 0) {
    throw EnvironmentError("worker lcore " + std::to_string(lcore_) + " cannot be started",
                           "choose CPUs available to this process in workers.cpus");
  }
  running_ = true;
}

void Worker::join() {
  if (!running_) return;
  rte_eal_wait_lcore(lcore_);
  running_ = false;
}

int Worker::entry(void* self) {
  static_cast<Worker*>(self)->loop();
  return 0;
}

WorkerStats Worker::totals() const {
  WorkerStats t;
  totals_.read(t);
  return t;
}

void Worker::loop() {
  // Set the timer slack from the default of 50 µs to 1 µs, so that sleeps end on time.
  if (idle_policy_ == IdlePolicy::kSleep) prctl(PR_SET_TIMERSLACK, 1'000UL, 0UL, 0UL, 0UL);
  Time last = clock_.time(rte_rdtsc());
  bool busy = false;
  while (!(quit_ && may_leave())) {
    if (clock_updates_ != nullptr && clock_updates_->written() != clock_seen_)
      clock_seen_ = clock_updates_->read(clock_);
    // The time must never decrease. If this thread was preempted, the start of a new slope may already be in
    // the past, and the new slope may then yield a time that is some picoseconds earlier than `last`.
    const Time now = std::max(last, clock_.time(rte_rdtsc()));
    cpu_.account().add(count_gap(last, now), busy);
    last = now;
    busy = false;
    CpuMeter* const meter = cpu_.begin();
    for (auto& port_queue : port_queues_) busy = port_queue->run(now, meter) || busy;
    if (network_ != nullptr) busy = network_->run(now) || busy;
    receiver_requests_.serve(now);
    if (board_requests_.serve(now)) wake_port_queues();
    handle_commands(now);
    if (changes_ != nullptr && changes_->at <= now) change_slice(now);
    if (snapshot_ != nullptr) snapshot_slice(now);
    if (schedule_.run(now)) wake_port_queues();
    if (meter != nullptr) meter->end(busy);
    ++loop_.turns;
    if (busy) ++loop_.busy_turns;
    if (loop_.turns % kPublishEvery == 0) publish();
    if (busy) busy_at_ = now;
    if (!busy && snapshot_ == nullptr) {
      idle(now);
    } else if (idle_wait_ && idle_wait_->armed()) {
      idle_wait_->disarm();
    }
  }
  publish();
}

Time Worker::count_gap(Time last, Time now) {
  loop_.ran += now - last;
  const bool slept = sleep_end_ > last;
  // A thread that resumes long after the planned end of its sleep was preempted.
  const Time due = slept ? sleep_end_ : last;
  const Time gap = now > due ? now - due : 0;
  const bool preempted = gap > LoopCounters::kPreempted;
  if (preempted) loop_.preempted += gap;
  if (preempted || !slept) recent_gap_ = std::max(recent_gap_, gap);
  loop_.longest_gap = std::max(loop_.longest_gap, recent_gap_);
  return now - last - (preempted ? gap : 0);
}

bool Worker::may_leave() const {
  const bool network_pending = network_ != nullptr && network_->pending();
  return clock_.time(rte_rdtsc()) >= leave_by_ ||
         (!network_pending && std::none_of(port_queues_.begin(), port_queues_.end(),
                                           [](const auto& port_queue) { return port_queue->pending(); }));
}

void Worker::handle_commands(Time now) {
  Command command;
  // Only one snapshot is taken at a time. Commands that follow a snapshot request wait until it is complete.
  while (snapshot_ == nullptr && commands_.pop(command)) {
    std::visit([this, now](const auto& c) { handle(c, now); }, command);
    wake_port_queues();
  }
}

void Worker::handle(const StartTraffic& command, Time /*now*/) { schedule_.begin(command.at); }

void Worker::handle(const StopTraffic& /*command*/, Time now) {
  schedule_.cancel();
  for (engine::Board* board : boards_) board->stop_traffic(now);
}

void Worker::handle(const FlushRequests& /*command*/, Time now) {
  for (engine::Board* board : boards_) board->flush(now);
}

void Worker::handle(const CloseNetwork& /*command*/, Time /*now*/) {
  if (network_ != nullptr) network_->close_outside();
}

void Worker::handle(SnapshotRequest* request, Time /*now*/) {
  snapshot_ = request;
  snapshot_endpoint_ = 0;
  snapshot_qp_ = 0;
}

void Worker::handle(const Quit& /*command*/, Time now) {
  quit_ = true;
  leave_by_ = now + kLeaveWithin;
}

void Worker::wake_port_queues() {
  for (auto& port_queue : port_queues_) port_queue->wake();
}

void Worker::snapshot_slice(Time now) {
  std::size_t budget = kSliceQps;
  while (budget != 0 && snapshot_endpoint_ < endpoints_.size()) {
    engine::EndpointSnapshot& out = snapshot_->endpoints[snapshot_endpoint_];
    const std::size_t qps = std::max(out.send_qps.size(), out.receive_qps.size());
    const std::size_t next =
        engine::take_snapshot(*endpoints_[snapshot_endpoint_], out, snapshot_qp_, budget, now);
    budget -= std::min(budget, std::max<std::size_t>(next - snapshot_qp_, 1));
    snapshot_qp_ = next;
    if (next == qps) {
      ++snapshot_endpoint_;
      snapshot_qp_ = 0;
    }
  }
  if (snapshot_endpoint_ < endpoints_.size()) return;
  if (network_ != nullptr && snapshot_->network) network_->take_snapshot(*snapshot_->network, now);
  if (network_ != nullptr) snapshot_->relay = network_->counters();
  snapshot_->longest_gap = std::exchange(recent_gap_, 0);
  snapshot_->done.store(true, std::memory_order_release);
  snapshot_ = nullptr;
}

void Worker::handle(CongestionChange* change, Time /*now*/) {
  CongestionChange** at = &changes_;
  // Insert after changes of the same time, and never before a change that is in progress.
  while (*at != nullptr && ((*at)->at <= change->at || (at == &changes_ && change_qp_ != 0)))
    at = &(*at)->next;
  change->next = *at;
  *at = change;
}

void Worker::change_slice(Time now) {
  std::size_t budget = kSliceQps;
  while (budget != 0 && changes_ != nullptr && changes_->at <= now) {
    CongestionChange& c = *changes_;
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(c.count, change_qp_ + budget));
    budget -= end - change_qp_;
    for (; change_qp_ < end; ++change_qp_) {
      c.board->set_congestion(c.first + change_qp_, c.profile, now);
    }
    if (end < c.count) break;
    changes_ = c.next;
    change_qp_ = 0;
    c.done.store(true, std::memory_order_release);
  }
  wake_port_queues();
}

void Worker::idle(Time now) {
  if (idle_policy_ == IdlePolicy::kSpin) return;
  if (idle_policy_ == IdlePolicy::kPause) {
    rte_pause();
    return;
  }
  const Time at = next_event(now);
  const Time length = at > now ? at - now : 0;
  const bool quiet = now - busy_at_ > kQuiet;
  // A shorter sleep is not worth the kernel's wake-up latency.
  if (length < 10 * kMicrosecond || schedule_.next() - now < kAwakeBeforeStart) {
    if (idle_wait_->armed()) idle_wait_->disarm();
    rte_pause();
  } else if (quiet && network_ == nullptr && idle_wait_->usable() && length > 2 * kWakeEarly) {
    wait(now, length);
  } else {
    if (idle_wait_->armed()) idle_wait_->disarm();
    sleep(now, std::min(length, quiet && !idle_wait_->usable() ? kLongestQuietSleep : kLongestSleep));
  }
}

Time Worker::next_event(Time now) const {
  Time at = changes_ == nullptr ? schedule_.next() : std::min(schedule_.next(), changes_->at);
  for (const auto& port_queue : port_queues_) at = std::min(at, port_queue->next_event(now));
  if (network_ != nullptr) at = std::min(at, network_->next_event(now));
  return at;
}

void Worker::sleep(Time now, Time length) {
  publish();
  std::this_thread::sleep_for(std::chrono::nanoseconds((length - 5 * kMicrosecond) / kNanosecond));
  sleep_end_ = now + length;
}

void Worker::wait(Time now, Time length) {
  if (!idle_wait_->armed()) {
    publish();
    idle_wait_->arm();
    return;
  }
  if (has_requests()) {
    idle_wait_->disarm();
    return;
  }
  length = std::min(length - kWakeEarly, IdleWait::kLongest);
  idle_wait_->wait(length);
  sleep_end_ = now + length;
}

bool Worker::has_requests() const {
  return !commands_.empty() || !board_requests_.empty() || !receiver_requests_.empty();
}

void Worker::publish() {
  WorkerStats t;
  t.loop = loop_;
  if (network_ != nullptr) t.network = network_->counters();
  for (const engine::Board* board : boards_) {
    if (!board->finished()) ++t.unfinished;
  }
  for (const auto& port_queue : port_queues_) {
    const PortQueueCounters& c = port_queue->counters();
    t.port_queues.rx_packets += c.rx_packets;
    t.port_queues.rx_nobody += c.rx_nobody;
    t.port_queues.rx_malformed += c.rx_malformed;
    t.port_queues.rx_handed_over += c.rx_handed_over;
    t.port_queues.control_rx += c.control_rx;
    t.port_queues.control_tx += c.control_tx;
    t.port_queues.ring_full += c.ring_full;
    t.port_queues.tx_packets += c.tx_packets;
    t.port_queues.tx_bytes += c.tx_bytes;
    t.port_queues.tx_short += c.tx_short;
  }
  totals_.write(t);
}

}  // namespace softfeb::dataplane
