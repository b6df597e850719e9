// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/test_port.hpp"

#include "base/exponential.hpp"
#include "roce/frame.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

constexpr std::size_t kMostSentPauses = 1U << 16;

engine::Identity identity(const PortAddress& address, bool v6) {
  return {.mac = address.mac,
          .ip = v6 ? address.v6 : address.v4,
          .prefix_length = v6 ? std::uint8_t{64} : std::uint8_t{24}};
}

}  // namespace

TestPort::TestPort(const std::vector<RigPort>& ports, std::uint16_t number, Time clock_error)
    : ports_(ports),
      number_(number),
      host_(identity(ports[number].address, false)),
      host6_(identity(ports[number].address, true)),
      wire_(ports[number].rate),
      pause_(roce::PauseMode::kOff, ports[number].rate),
      clock_error_(clock_error) {}

TestPort::~TestPort() = default;

void TestPort::prepare(const Trial& trial, std::uint16_t id, Time start) {
  trial_ = &trial;
  start_ = start;
  writer_ = std::make_unique<FrameWriter>(trial, ports_, number_, id);
  log_.prepare(trial, number_, id, start, clock_error_);
  responder_.prepare(trial, ports_, number_, start);
  answer_priority_ = trial.priority_of_dscp[trial.answers.value_or(Answers{}).dscp];
  cnps_.clear();
  overflowed_ = false;
  generators_.clear();
  controls_.clear();
  next_control_ = 0;
  sent_pauses_.clear();
  sent_pauses_.reserve(kMostSentPauses);
  priority_of_.clear();
  for (const FrameKind& kind : trial.kinds)
    priority_of_.push_back(kind.vlan ? kind.vlan->pcp : trial.priority_of_dscp[kind.dscp]);
  free_at_ = plan_free_at_ = std::max(free_at_, start);
  pause_ = fabric::PauseState(trial.obeyed, ports_[number_].rate);
  pending_.clear();
  obedience_ = number_ < trial.obedience.size() ? trial.obedience[number_] : Obedience{};
  sent_.assign(trial.kinds.size(), {});
  late_max_ = 0;
  lapsed_ = false;
  for (std::size_t i = 0; i < trial.sources.size(); ++i) {
    const Source& source = trial.sources[i];
    if (source.port != number_ || source.count == 0) continue;
    add_generator(source, i);
  }
  for (const Freeze& freeze : trial.freezes)
    if (freeze.port == number_) add_freeze(freeze);
  for (const PauseFrame& p : trial.pauses)
    if (p.port == number_) controls_.push_back({start + p.at, p.control});
  std::stable_sort(controls_.begin(), controls_.end(),
                   [](const Control& a, const Control& b) { return a.at < b.at; });
}

void TestPort::add_generator(const Source& source, std::size_t index) {
  generators_.push_back(
      {.source = &source, .index = index, .rng = Rng(Rng::mixed(source.seed, index, number_))});
  Generator& g = generators_.back();
  g.due = g.planned = start_ + source.start;
  choose_kind(g);
  const FrameKind& kind = trial_->kinds[g.kind];
  if (kind.rc_source_qp) cnps_.reserve(Responder::kMostCnps);
  if (source.dcqcn) g.pace = std::make_unique<BoardPace>(*source.dcqcn, kind.length, g.due);
}

void TestPort::add_freeze(const Freeze& freeze) {
  constexpr std::uint16_t kLongest = 0xffff;
  const Time duration = roce::pause_time(kLongest, ports_[number_].rate);
  Time lapse = kNever;
  for (Time at = freeze.from; at < freeze.until; at += duration / 4) {
    controls_.push_back({start_ + at, pause_of(freeze, kLongest), lapse});
    lapse = start_ + at + duration;
  }
  controls_.push_back({start_ + freeze.until, pause_of(freeze, 0), lapse});
}

void TestPort::receive(const Segments& bytes, Time at) {
  const roce::ParsedFrame frame = roce::parse_frame(bytes);
  if (frame.kind == roce::FrameKind::kMacControl) {
    const auto control = roce::parse_mac_control(frame.content);
    if (!control) return;
    log_.take_pause(*control, at);
    obey(*control, at);
    return;
  }
  std::optional<roce::IpAddress> learned;
  if (frame.kind == roce::FrameKind::kArp || frame.kind == roce::FrameKind::kIcmp) asked_at_ = at;
  if (frame.kind == roce::FrameKind::kArp) {
    host_.on_arp(frame, at);
  } else if (frame.kind == roce::FrameKind::kIcmp) {
    if (!host6_.on_discovery(frame, at, learned) && frame.dest_mac == ports_[number_].address.mac)
      (frame.dest_ip.is_v4() ? host_ : host6_).on_icmp(frame);
  } else if (trial_ == nullptr) {
    return;
  } else if (const auto answer = read_answer(frame)) {
    take_answer(*answer, at);
  } else if (const auto taken = log_.take(frame, at)) {
    responder_.take(taken->kind, taken->sequence, taken->marked, at);
  }
}

/// Processes an acknowledgement or a CNP. The DCQCN of boards ignores acknowledgements.
void TestPort::take_answer(const RcAnswer& answer, Time at) {
  const auto g = std::find_if(generators_.begin(), generators_.end(), [&](const Generator& other) {
    return trial_->kinds[other.kind].rc_source_qp == answer.qp;
  });
  if (g == generators_.end() || at < start_) return log_.take_foreign();
  if (!answer.cnp) return;
  if (cnps_.size() == cnps_.capacity()) {
    overflowed_ = true;
  } else {
    cnps_.push_back({g->kind, answer.identification, at - start_});
  }
  if (!g->pace) return;
  g->pace->cnp(at);
  if (g->due != kNever) g->due = g->planned = g->pace->allowed(g->due);
}

/// Postpones departures that the DCQCN of a board does not permit yet.
void TestPort::ask_boards(Time now) {
  for (Generator& g : generators_) {
    if (!g.pace) continue;
    for (Time due = 0; g.due <= now && due != g.due;) {
      due = g.due;
      g.due = g.pace->allowed(due);
      g.planned = std::max(g.planned, g.due);
    }
  }
}

void TestPort::obey(const roce::MacControl& control, Time at) {
  if (!obedience_.obeys) return;
  if (obedience_.after == 0) {
    pause_.told(control, at);
  } else {
    pending_.emplace_back(at + obedience_.after, control);
  }
}

Time TestPort::departure(const Generator& g) const {
  if (g.due == kNever) return kNever;
  const Time at = std::max({g.due, free_at_, pause_.until(priority_of_[g.kind])});
  return g.source->end != kNever && at >= start_ + g.source->end ? kNever : at;
}

TestPort::Next TestPort::next() const {
  Next best;
  if (next_control_ < controls_.size()) {
    const Time at = controls_[next_control_].at;
    best = {Next::What::kControl, std::max(at, free_at_), at, 0};
  }
  const auto answers = [&](Next::What what, Time ready) {
    const Time at = std::max(ready, free_at_);
    if (ready != kNever && at < best.at) best = {what, at, ready, 0};
  };
  if (host_.has_answers() || host6_.has_answers()) answers(Next::What::kAnswer, asked_at_);
  if (const Time due = responder_.due(); due != kNever)
    answers(Next::What::kRcAnswer, std::max(due, pause_.until(answer_priority_)));
  Time due = kNever;
  for (std::size_t i = 0; i < generators_.size(); ++i) {
    const Time at = departure(generators_[i]);
    // Frames that can leave at the same time leave in the order in which they became due.
    if (at > best.at || at == kNever || (at == best.at && generators_[i].due >= due)) continue;
    if (at == best.at && best.what != Next::What::kData) continue;
    due = generators_[i].due;
    best = {Next::What::kData, at, std::max(due, pause_.until(priority_of_[generators_[i].kind])), i};
  }
  return best;
}

Time TestPort::next_event() const {
  const Time effect = pending_.empty() ? kNever : pending_.front().first;
  return std::min(next().at, effect);
}

std::size_t TestPort::poll(Time now, std::span<engine::TxFrame> out, Time ahead) {
  for (; !pending_.empty() && pending_.front().first <= now; pending_.pop_front())
    pause_.told(pending_.front().second, pending_.front().first);
  std::size_t n = 0;
  for (; n < out.size(); ++n) {
    ask_boards(now);
    const Next which = next();
    if (which.ready > now || which.at > now + ahead) break;
    const Time departs = std::max(which.at, now);
    const Time plan = planned(which);
    late_max_ = std::max(late_max_, departs - std::min(plan, departs));
    if (which.what == Next::What::kData) generators_[which.generator].planned = plan;
    write(which, departs, out[n]);
    const Time length = wire_.next(fabric::wire_bytes(out[n].length()));
    free_at_ = departs + length;
    plan_free_at_ = plan + length;
    // An answer uses a shared buffer, so the caller must copy the answer before poll() writes the next one.
    if (which.what == Next::What::kAnswer) return n + 1;
  }
  return n;
}

/// Returns the time at which this frame would leave if all frames before it had left in time.
Time TestPort::planned(const Next& which) const {
  switch (which.what) {
    case Next::What::kControl:
      return std::max(which.ready, plan_free_at_);
    case Next::What::kData: {
      const Generator& g = generators_[which.generator];
      return std::max({g.planned, plan_free_at_, pause_.until(priority_of_[g.kind])});
    }
    default:
      return which.at;  // answers have no schedule
  }
}

void TestPort::write(const Next& which, Time departs, engine::TxFrame& out) {
  switch (which.what) {
    case Next::What::kControl:
      return write_control(departs, out);
    case Next::What::kData:
      return write_data(generators_[which.generator], departs, out);
    case Next::What::kRcAnswer:
      return responder_.write(departs, out);
    default:
      (host_.has_answers() ? host_ : host6_).poll({&out, 1});
  }
}

void TestPort::write_control(Time departs, engine::TxFrame& out) {
  const Control& c = controls_[next_control_++];
  lapsed_ = lapsed_ || departs >= c.lapse;
  out.header_length = 0;
  out.trailer_length = 0;
  out.message = 0;
  const auto bytes = roce::write_mac_control(ports_[number_].address.mac, roce::kPauseAddress, c.control);
  std::copy(bytes.begin(), bytes.end(), out.header);
  out.header_length = static_cast<std::uint16_t>(bytes.size());
  out.payload = nullptr;
  out.payload_length = 0;
  if (sent_pauses_.size() < kMostSentPauses) sent_pauses_.push_back({number_, departs - start_, c.control});
}

void TestPort::write_data(Generator& g, Time departs, engine::TxFrame& out) {
  KindStats& stats = sent_[g.kind];
  writer_->write(g.kind, stats.sent, departs, out);
  ++stats.sent;
  stats.first_departure = std::min(stats.first_departure, departs - start_);
  stats.last_departure = departs - start_;
  if (g.sent == 0) g.skew = departs - (start_ + g.source->start);
  ++g.sent;
  // A source without gaps becomes due again when its frame has left, so that several such sources alternate.
  if (g.pace) {
    g.planned = g.due = std::max(departs + wire_time_of(out.length()), g.pace->sent(departs));
  } else if (g.source->gap == 0) {
    g.due = departs + wire_time_of(out.length());
    g.planned += wire_time_of(out.length());
  } else if (g.source->gap_kind == GapKind::kConstant) {
    g.planned = g.due += g.source->gap;
  } else {
    g.planned = g.due += static_cast<Time>(exponential(g.rng.next()) * static_cast<double>(g.source->gap));
  }
  if (g.sent == g.source->count) g.due = kNever;
  choose_kind(g);
}

/// Chooses the kind of a source's next frame.
void TestPort::choose_kind(Generator& g) {
  const auto& kinds = g.source->kinds;
  g.kind = kinds[g.source->mixed ? g.rng.below(kinds.size()) : g.sent % kinds.size()];
}

Time TestPort::wire_time_of(std::uint32_t length) const { return time_on_wire(length, ports_[number_].rate); }

void TestPort::collect(TrialResult& out) const {
  log_.collect(out);
  for (std::size_t k = 0; k < sent_.size(); ++k) {
    KindStats& to = out.kinds[k];
    to.sent += sent_[k].sent;
    to.first_departure = std::min(to.first_departure, sent_[k].first_departure);
    to.last_departure = std::max(to.last_departure, sent_[k].last_departure);
  }
  for (const Generator& g : generators_) out.start_skew[g.index] = g.skew;
  out.sent_pauses.insert(out.sent_pauses.end(), sent_pauses_.begin(), sent_pauses_.end());
  out.late_max = std::max(out.late_max, late_max_);
  out.sent_cnps.insert(out.sent_cnps.end(), responder_.sent().begin(), responder_.sent().end());
  out.cnps.insert(out.cnps.end(), cnps_.begin(), cnps_.end());
  if (overflowed_ || responder_.overflowed())
    out.void_reason = "a port had more CNPs or answers than it can store";
  if (lapsed_) out.void_reason = "a freeze lapsed: port " + ports_[number_].name + " renewed it too late";
}

TrialResult collect(const Trial& trial, const std::vector<std::unique_ptr<TestPort>>& ports) {
  TrialResult out;
  out.kinds.resize(trial.kinds.size());
  out.start_skew.resize(trial.sources.size());
  std::size_t groups = 0;
  for (const FrameKind& kind : trial.kinds) groups = std::max<std::size_t>(groups, kind.latency_group + 1U);
  out.latency.resize(groups);
  for (const auto& port : ports) port->collect(out);
  const auto earlier = [](const auto& a, const auto& b) { return a.at < b.at; };
  std::stable_sort(out.arrivals.begin(), out.arrivals.end(), earlier);
  std::stable_sort(out.pauses.begin(), out.pauses.end(), earlier);
  std::stable_sort(out.sent_cnps.begin(), out.sent_cnps.end(), earlier);
  std::stable_sort(out.cnps.begin(), out.cnps.end(), earlier);
  return out;
}

}  // namespace softfeb::switchtest
