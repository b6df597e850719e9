// SPDX-License-Identifier: BSD-3-Clause
#include "engine/board.hpp"

#include "engine/credit_frame.hpp"
#include "engine/message_triggers.hpp"
#include "roce/quick_write.hpp"
#include "roce/response.hpp"

#include <algorithm>
#include <map>

namespace softfeb::engine {

namespace {

constexpr Time kDepartureTick = 131'072;  // wheel slots of 131 ns hold few packets at any feasible rate
// Slots of 1 µs are short enough, because the shortest RNR timer is 10 µs.
constexpr Time kTimerTick = 1'048'576;

std::size_t count_qps(const BoardConfig& config) { return config.qps.size() + config.bus.slots; }

/// Returns the number of queue pairs in each group, by group number. The queue pairs of a group share a
/// congestion control.
std::map<std::uint32_t, std::size_t> sizes_of_groups(const BoardConfig& config) {
  std::map<std::uint32_t, std::size_t> groups;
  if (config.bus.slots != 0 && config.bus.qp.congestion_group)
    groups[*config.bus.qp.congestion_group] += config.bus.slots;
  for (const SendQpConfig& qp : config.qps) {
    if (qp.congestion_group) ++groups[*qp.congestion_group];
  }
  return groups;
}

std::size_t count_groups(const BoardConfig& config) { return sizes_of_groups(config).size(); }

/// Removes groups that contain only one queue pair. This queue pair shares its rate with no other queue pair
/// and may therefore use the fast path.
BoardConfig without_lone_groups(BoardConfig config) {
  const auto sizes = sizes_of_groups(config);
  const auto remove = [&sizes](SendQpConfig& qp) {
    if (qp.congestion_group && sizes.at(*qp.congestion_group) == 1) qp.congestion_group.reset();
  };
  std::for_each(config.qps.begin(), config.qps.end(), remove);
  if (config.bus.slots != 0) remove(config.bus.qp);
  return config;
}

/// True if the congestion control of any of the board's queue pairs assigns ranks.
bool ranks(const BoardConfig& config) {
  return std::any_of(config.qps.begin(), config.qps.end(), [](const SendQpConfig& qp) {
    return (hooks_of(qp.congestion) & congestion::kRank) != 0;
  });
}

std::pmr::memory_resource* memory_of(const BoardConfig& config) {
  return config.memory != nullptr ? config.memory : std::pmr::new_delete_resource();
}

PauseConfig with_rate(PauseConfig pause, std::uint64_t link_rate) {
  if (pause.link_rate == 0) pause.link_rate = link_rate;
  return pause;
}

}  // namespace

Board::Board(const BoardConfig& config) : Board(without_lone_groups(config), Grouped{}) {}

Board::Board(const BoardConfig& config, Grouped /*tag*/)
    : Endpoint(config.identity, with_rate(config.pause, config.link_rate)),
      link_(config.link_rate, config.link_slack),
      events_(config.events ? std::make_unique<EventSender>(*config.events) : nullptr),
      qps_(config.qps, config.bus.slots, MetadataQps::slot_config(config.bus, config.identity),
           memory_of(config)),
      table_(memory_of(config)),
      shared_(count_groups(config) == 0 ? 0 : count_qps(config), memory_of(config)),
      departures_(count_qps(config) + count_groups(config), kDepartureTick, memory_of(config)),
      timers_(count_qps(config), kTimerTick, memory_of(config)),
      ready_(count_qps(config), ranks(config), memory_of(config)),
      long_quantum_(qps_.tracked() ? kTrackedQuantum : kQuantum),
      unfinished_(config.qps.size()),
      bus_qps_(config.bus, config.qps.size(),
               {qps_, table_, identity(), host_.neighbours(),
                [this](std::uint32_t i, Time now) { reschedule(i, now); }}) {
  accept_congestion_headers(config.cc_port);
  if (count_groups(config) != 0 || ranks(config)) woken_.reserve(count_qps(config) + count_groups(config));
  table_.reserve(count_qps(config));
  for (const SendQpConfig& c : config.qps) add_qp(c);
  if (events_) {
    const std::uint32_t builders = events_->fifo().config().layout.builders;
    for (std::uint32_t i = 0; i < builders && i < config.qps.size(); ++i) {
      const TrafficConfig& traffic = config.qps[i].traffic;
      events_->set_region(i, traffic.remote_address, traffic.rkey);
    }
  }
  if (config.traffic_gen) add_generator(config);
  const SendQpConfig slot = MetadataQps::slot_config(config.bus, identity());
  for (std::size_t k = 0; k < config.bus.slots; ++k) {
    store_qp(slot, static_cast<std::uint32_t>(qps_.size()));
    bus_qps_.add_slot();
  }
  bus_qps_.apply(config.bus.destination, 0);
}

void Board::add_qp(const SendQpConfig& config) {
  const auto i = static_cast<std::uint32_t>(qps_.size());
  SendQpConfig c = config;
  if (events_) c.payload = events_.get();
  store_qp(c, i);
  table_.insert(c.requester.qpn, i);
  if (!qps_.back().resolved()) await_hop(i, identity().next_hop(c.path.dest_ip));
}

void Board::store_qp(const SendQpConfig& config, std::uint32_t i) {
  congestion::CongestionControl* const control = congestion_for(config, i);
  SendQpDeps shared;
  shared.cc_port = cc_port();
  shared.posted = &posted_;
  if (config.congestion_group) shared.flight = &groups_[*config.congestion_group].flight;
  qps_.add(config, control, shared);
}

congestion::CongestionControl* Board::congestion_for(const SendQpConfig& config, std::uint32_t i) {
  if (config.congestion_group) {
    if (const auto it = groups_.find(*config.congestion_group); it != groups_.end()) {
      if (it->second.control != nullptr) shared_.join(i, it->second.line);
      return it->second.control;
    }
  }
  congestion::CongestionControl* const control = qps_.add_control(config);
  if (config.congestion_group) {
    Group& group = groups_[*config.congestion_group];
    group.control = control;
    group.line = shared_.add_line();
    if (control != nullptr) shared_.join(i, group.line);
  }
  return control;
}

bool Board::set_congestion(std::uint32_t i, const CongestionSettings& profile, Time now) {
  congestion::CongestionControl* const control = qps_[i].congestion();
  if (control == nullptr) return false;
  const Change change = change_parameters(*control, profile, now);
  if (change != Change::kMade) return change == Change::kNone;
  log_.add({now, i, profile});
  // If a shared rate increases, the QPs that share it may send earlier than the wheel has scheduled.
  if (groups_.empty()) {
    reschedule(i, now);
    return true;
  }
  for (std::uint32_t k = 0; k < qps_.size(); ++k) {
    if (qps_[k].congestion() == control) reschedule(k, now);
  }
  return true;
}

void Board::start(Time now) {
  bus_qps_.start();
  if (events_) events_->start(now);
  if (generator_) generator_->start(now);
  // The clock of a shared congestion control starts when the first of its QPs starts.
  std::map<congestion::CongestionControl*, Time> controls;
  for (std::size_t i = 0; i < first_bus_qp(); ++i) {
    SendQp& qp = qps_[i];
    const Time at = qp.start(now);
    if (qp.congestion() == nullptr) continue;
    if (shared_.line_of(static_cast<std::uint32_t>(i)) == SharedRates::kNone) {
      qp.congestion()->start(at);
      continue;
    }
    const auto [it, first] = controls.emplace(qp.congestion(), at);
    if (!first) it->second = std::min(it->second, at);
  }
  for (const auto& [control, at] : controls) control->start(at);
  for (std::uint32_t i = 0; i < qps_.size(); ++i) reschedule(i, now);
}

void Board::stop_traffic(Time now) {
  bus_qps_.stop();
  if (events_) events_->stop(now);
  if (generator_) generator_->stop();
  for (std::uint32_t i = 0; i < qps_.size(); ++i) {
    qps_[i].stop_traffic(now);
    reschedule(i, now);
  }
}

void Board::flush(Time now) {
  bus_qps_.stop();
  if (events_) events_->drop();
  if (generator_) generator_->stop();
  for (std::uint32_t i = 0; i < qps_.size(); ++i) {
    qps_[i].drop_traffic();
    if (!qps_[i].requester().idle()) qps_[i].requester().set_state(roce::QpState::kErr, now);
    reschedule(i, now);
  }
}

void Board::reschedule(std::uint32_t i, Time now) {
  SendQp& qp = qps_[i];
  const bool on_bus = i >= first_bus_qp();
  qp.stop_if_uncontrolled(now);
  qp.reap(now);
  if (on_bus) {
    bus_qps_.post_requests(i, now);
  } else {
    qp.post_due(now);
  }
  qp.reap(now);  // a request posted to a QP in ERR completes immediately
  if (on_bus) bus_qps_.count_completions(i);
  if (events_ && !on_bus) events_->completed(i, qp.requester().messages_completed(), now);
  if (qp.finished() != qp.counts_finished()) {
    qp.count_finished(qp.finished());
    if (on_bus) {
      bus_qps_.count_busy(!qp.finished());
    } else {
      unfinished_ += qp.finished() ? std::size_t(-1) : 1;
    }
  }
  watch_timer(i, now);
  if (ready_.contains(i)) {
    if (ranked(i)) enqueue(i);  // the QP's rank may have changed
    return;
  }
  const std::uint32_t line = shared_.line_of(i);
  if (line == SharedRates::kNone) {
    const Time at = departure(i, now);
    // departure() calls the congestion control algorithm, which may have failed in this call. In that case,
    // the requests must be flushed, which reschedule() does.
    if (at == kNever && qp.uncontrolled()) return reschedule(i, now);
    schedule(i, at, now);
    return;
  }
  const Time own = own_departure(i, now);
  if (own > now) {
    schedule(i, own, now);
  } else {
    departures_.cancel(i);
    shared_.wait(i);
  }
  call_next(line, now);
}

void Board::call_next(std::uint32_t line, Time now) {
  const auto entry = static_cast<std::uint32_t>(qps_.size()) + line;
  departures_.cancel(entry);
  for (std::uint32_t i = shared_.first(line); i != SharedRates::kNone; i = shared_.first(line)) {
    const Time own = own_departure(i, now);
    if (own > now) {
      // The QP can no longer send, for example because it is in ERR, or because its priority is paused.
      schedule(shared_.pop(line), own, now);
      continue;
    }
    const Time at = qps_[i].departure(now);
    if (at <= now) {
      ready_.push(shared_.call(line));
    } else if (at != kNever) {
      departures_.schedule(entry, at);
    }
    return;
  }
}

void Board::schedule(std::uint32_t i, Time at, Time now) {
  if (at <= now || (due_behind(ready_.size(), at, now) && own_rate(i) && !ranked(i))) {
    departures_.cancel(i);
    enqueue(i);
  } else if (at == kNever) {
    departures_.cancel(i);
  } else {
    departures_.schedule(i, at);
  }
}

void Board::enqueue(std::uint32_t i) {
  if (ranked(i)) {
    ready_.push(i, qps_[i].rank());
  } else {
    ready_.push(i);
  }
}

void Board::watch_timer(std::uint32_t i, Time now) {
  // If a deadline moves to a later time or is removed, its timer stays in the wheel at the old time, and
  // run_timers() checks the deadline when the timer expires. Acknowledgements therefore need not touch the
  // wheel. If there are many queue pairs, however, checking a deadline later causes a cache miss. A timer
  // whose deadline was removed is therefore cancelled here, while the timer's entry is still cached.
  const Time at = qps_[i].deadline();
  if (at == kNever) {
    if (many()) timers_.cancel(i);
    return;
  }
  if (!timers_.scheduled(i) || timers_.at(i) > at) timers_.schedule(i, std::max(at, now));
}

void Board::run_timers(Time now) {
  const auto expire = [&](std::uint32_t i) {
    // Most timers expire at an old deadline, because the deadline has since moved to a later time. The queue
    // pair was rescheduled when its deadline moved, so only the timer has to be set again.
    if (qps_[i].deadline() > now) {
      watch_timer(i, now);
      return;
    }
    const std::uint64_t timeouts = qps_[i].requester().timeouts();
    qps_[i].on_timer(now);
    if (qps_[i].requester().timeouts() != timeouts) ++incidents_;
    reschedule(i, now);
  };
  // While the timer of one queue pair is handled, prefetch the next queue pair, which may be anywhere in
  // memory.
  timers_.advance(now, expire, [this](std::uint32_t i) { qps_[i].prefetch_deadline(); });
}

void Board::resumed(std::uint8_t priorities, Time now) {
  if (!pause_.per_priority()) return;  // an 802.3x pause stops the link, so QPs stay in the ready queue
  for (std::uint32_t i = 0; i < qps_.size(); ++i) {
    if ((priorities >> pause_.priority(qps_[i].headers()) & 1) != 0) reschedule(i, now);
  }
}

void Board::wake(Time now) {
  departures_.advance(now, [&](std::uint32_t i) {
    if (i < qps_.size() && shared_.line_of(i) == SharedRates::kNone && !ranked(i)) {
      ready_.push(i);
    } else {
      // Handle this entry after the loop, because entries must not move while the wheel advances. A ranked
      // queue pair gets its rank only when reschedule() posts its message.
      woken_.push_back(i);
    }
  });
  for (const std::uint32_t i : woken_) {
    if (i < qps_.size()) {
      reschedule(i, now);
    } else {
      call_next(i - static_cast<std::uint32_t>(qps_.size()), now);
    }
  }
  woken_.clear();
}

/// Posts the pieces of event data that are ready. The queue pairs have room for all these pieces, unless a
/// queue pair is in ERR. If a queue pair is in ERR, the board's event data is dropped.
void Board::post_events(Time now) {
  events_->advance(now);
  while (events_->has_piece()) {
    const std::uint32_t i = events_->builder();
    if (!qps_[i].requester().can_post()) {
      events_->drop();
      return;
    }
    const Time triggered = events_->triggered();
    qps_[i].post(events_->take(), now, triggered);
    reschedule(i, now);
  }
}

bool Board::receive_trigger(const roce::ParsedFrame& frame, Time now) {
  if (!events_ || events_->messages() == nullptr) return false;
  events_->messages()->receive(frame, now);
  return true;
}

/// Writes a busy message if one is due. The message tells the sender of triggers whether the board is busy.
std::size_t Board::poll_busy_message(Time now, std::span<TxFrame> out) {
  if (out.empty() || control_open_at() > now) return 0;
  if (!events_->messages()->write_busy(identity(), identification_, now, out.front())) return 0;
  ++identification_;
  return 1;
}

std::size_t Board::poll(Time now, std::span<TxFrame> out) {
  end_of_burst(now);
  run_timers(now);
  wake(now);
  if (events_) post_events(now);
  if (generator_) post_generated(now);
  std::size_t n = poll_requests(now, out);
  n += poll_host(now, out.subspan(n));
  n += poll_busy(now, out.subspan(n));
  if (events_ && events_->messages() != nullptr) n += poll_busy_message(now, out.subspan(n));
  for (std::size_t k = 0; k < n; ++k) counters_.tx_bytes += out[k].length();
  n += generator_ ? send_generated(now, out.subspan(n)) : send_packets(now, out.subspan(n));
  counters_.tx_frames += n;
  return n;
}

void Board::control_frame_sent(std::uint32_t length, Time now) {
  Endpoint::control_frame_sent(length, now);
  link_.sent(length, now);  // the link is shared: RoCE packets wait until this frame is sent
}

std::size_t Board::memory_per_qp() const {
  if (qps_.empty()) return 0;
  std::size_t bytes = departures_.memory() + timers_.memory() + ready_.memory() + table_.memory() +
                      shared_.memory() + woken_.capacity() * sizeof(std::uint32_t) +
                      waiting_runs_.capacity() * sizeof(WaitingRun);
  return (bytes + qps_.memory()) / qps_.size();
}

Time Board::next_event(Time now) const {
  Time at = std::min({host_event(now), request_event(now), departures_.next(), timers_.next()});
  if (events_) at = std::min(at, events_->has_piece() ? now : events_->next_event());
  if (generator_) at = std::min(at, generator_event(now));
  if (events_ && events_->messages() != nullptr)
    at = std::min(at, std::max({now, control_open_at(), events_->messages()->busy_due()}));
  if (busy_count_ != 0) at = std::min(at, std::max(now, credit_open_at()));
  if (!ready_.empty()) at = std::min(at, std::max({now, link_.free_at(), link_open_at()}));
  return at;
}

void Board::expect(const roce::ParsedFrame& frame) {
  if (!many() || frame.kind != roce::FrameKind::kUdp) return;
  if (const roce::Qpn qpn = roce::dest_qp_hint(frame, cc_port()); qpn != 0) expected_.add(qpn, table_);
}

void Board::receive_congestion(const roce::ParsedFrame& frame, const roce::CongestionHeader& header,
                               Time now) {
  if (header.echo()) return receive_response(frame, &header, now);
  if (header.control()) return receive_credit(frame, header, now);
  ++counters_.rx_bad_transport;
}

/// Returns the index of queue pair `qpn` if `frame` comes from the peer of this queue pair and has a correct
/// iCRC. Otherwise, counts the frame as an error and returns kNotFound.
std::uint32_t Board::accept(roce::Qpn qpn, const roce::ParsedFrame& frame) {
  const std::uint32_t i = table_.find(qpn);
  if (i == QpTable::kNotFound) {
    ++counters_.rx_unknown_qp;
  } else if (frame.source_ip != qps_[i].peer()) {
    ++counters_.rx_wrong_peer;
  } else if (!roce::icrc_matches(frame)) {
    ++counters_.rx_icrc_errors;
    ++incidents_;
  } else {
    verified();
    ++counters_.rx_roce;
    return i;
  }
  return QpTable::kNotFound;
}

/// Handles a control frame of congestion control: a GRANT or a RESEND. Other kinds count as rx_bad_transport.
void Board::receive_credit(const roce::ParsedFrame& frame, const roce::CongestionHeader& header, Time now) {
  const auto credit = roce::CreditBody::decode(header);
  const auto dest = control_frame_qpn(frame);
  if (!credit || !dest ||
      (credit->kind != roce::CreditBody::kGrant && credit->kind != roce::CreditBody::kResend)) {
    ++counters_.rx_bad_transport;
    return;
  }
  const std::uint32_t i = accept(*dest, frame);
  if (i == QpTable::kNotFound) return;
  SendQp& qp = qps_[i];
  if (credit->kind == roce::CreditBody::kGrant) {
    qp.on_grant(*credit, now);
  } else if (qp.on_resend(*credit, now) && busy_count_ != busy_.size()) {
    busy_[busy_count_++] = {i, *credit};
  }
  reschedule_received(i, now);
}

/// Writes the queued BUSY frames. A BUSY answers a RESEND that requests packets that have not been sent yet.
std::size_t Board::poll_busy(Time now, std::span<TxFrame> out) {
  if (busy_count_ == 0 || credit_open_at() > now) return 0;
  const std::size_t n = std::min(busy_count_, out.size());
  for (std::size_t k = 0; k < n; ++k)
    qps_[busy_[k].qp].write_busy(busy_[k].request, identification_++, out[k]);
  std::move(busy_.begin() + static_cast<std::ptrdiff_t>(n),
            busy_.begin() + static_cast<std::ptrdiff_t>(busy_count_), busy_.begin());
  busy_count_ -= n;
  return n;
}

/// Processes a response. `echo` is the congestion control header that the receiver returned; null if there is
/// none.
void Board::receive_response(const roce::ParsedFrame& frame, const roce::CongestionHeader* echo, Time now) {
  expected_.step(table_, qps_, timers_);
  const roce::ReceivedResponse packet = roce::parse_response(frame.content);
  const bool foreign =
      packet.kind == roce::TransportKind::kUnknown && roce::is_foreign_response(packet.opcode);
  const bool ours =
      packet.kind == roce::TransportKind::kAcknowledge || packet.kind == roce::TransportKind::kCnp || foreign;
  if (!ours || packet.tver != 0) {
    ++counters_.rx_bad_transport;
    return;
  }
  const std::uint32_t i = accept(packet.dest_qp, frame);
  if (i == QpTable::kNotFound) return;
  SendQp& qp = qps_[i];
  if (packet.kind == roce::TransportKind::kCnp) {
    if (qp.on_cnp(now)) log_.add({now, i, std::nullopt});
    reschedule_received(i, now);
    return;
  }
  if (frame.congestion_experienced) ++counters_.rx_ce;
  if (foreign || packet.aeth.kind() != roce::AethKind::kAck) ++incidents_;
  if (foreign) {
    qp.on_bad_response(packet.psn, now);
  } else {
    qp.on_response(packet.aeth, packet.psn, echo, now);
  }
  reschedule_received(i, now);
}

}  // namespace softfeb::engine
