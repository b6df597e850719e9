// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/traffic_run.hpp"

#include "roce/icrc.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::conformance {

namespace {

constexpr Time kPollInterval = 500 * kMicrosecond;  ///< time between two requests for completions
constexpr std::uint64_t kMemoryPart = 65'536;       ///< number of bytes of memory that are compared at a time

template <class Map>
std::uint64_t value_in(const Map& map, const std::string& name) {
  const auto it = map.find(name);
  return it == map.end() ? 0 : it->second;
}

std::string range_words(const Range& range) {
  if (range.first == range.last) return std::to_string(range.first);
  if (range.last == UINT64_MAX) return "at least " + std::to_string(range.first);
  return std::to_string(range.first) + " to " + std::to_string(range.last);
}

}  // namespace

TrafficRun::TrafficRun(const Case& c, const CaseEnvironment& environment, std::uint64_t seed,
                       roce::Qpn& next_qpn, Time now)
    : case_(c), environment_(environment), rng_(seed), next_qpn_(next_qpn), began_(now) {
  result_.of = &c;
  for (const TrafficSpec& spec : c.traffic) {
    if (spec.pmtu > environment.target.active_mtu) {
      why_broken_ = "path MTU " + std::to_string(spec.pmtu) + " does not fit the path";
      continue;
    }
    if (spec.clean_rate) passes_.push_back({&spec, true});
    passes_.push_back({&spec, false});
  }
  if (passes_.empty()) {
    unsupported_ = true;
    phase_ = Phase::kDone;
    return;
  }
  why_broken_.clear();
  begin_pass(now);
}

void TrafficRun::begin_pass(Time now) {
  const Pass& pass = passes_[pass_];
  sender_.reset();
  qps_.clear();
  own_.clear();
  churn_ = {};
  to_post_.clear();
  region_ = environment_.regions.front();
  poll_at_ = now;
  const std::uint32_t others = pass.alone ? 0 : pass.spec->qps;
  for (std::uint32_t k = 0; k < others + (pass.spec->clean_rate ? 1 : 0); ++k) {
    const bool second = k % pass.spec->addresses == 1;
    qps_.push_back({.board = second ? environment_.second_ip : environment_.path.source_ip,
                    .target = environment_.path.dest_ip,
                    .own = next_qpn_++,
                    .first_psn = static_cast<roce::Psn>(rng_.next()) & roce::kPsnMask,
                    .clean = k >= others});
  }
  immediates_.assign(qps_.size(), {});
  end(environment_.target.memory ? Phase::kFill : Phase::kCountersBefore);
  if (phase_ == Phase::kFill) ask(FillRequest{});
}

std::optional<TargetRequest> TrafficRun::take_request() {
  if (waiting_ || !request_) return std::nullopt;
  waiting_ = true;
  return std::exchange(request_, std::nullopt);
}

/// Asks the target to open the next queue pair. Returns true if all queue pairs are open.
bool TrafficRun::open_next(Time now) {
  if (at_ == qps_.size()) {
    start_sending(now);
    return true;
  }
  QpSpec wanted;
  wanted.transport = spec().transport;
  wanted.pmtu = spec().pmtu;
  wanted.receives = qps_[at_].clean ? 0 : spec().receives;
  ask(OpenRequest{.spec = wanted,
                  .psn = qps_[at_].first_psn,
                  .requester_qp = qps_[at_].own,
                  .requester_ip = qps_[at_].board});
  return false;
}

void TrafficRun::opened(const TargetReply& reply) {
  TrafficQp& qp = qps_[at_++];
  qp.remote = reply.qp;
  if (reply.fixed) {
    qp.own = reply.fixed->requester_qp;
    qp.first_psn = reply.fixed->psn;
    region_ = reply.fixed->region;
  }
  own_.insert(qp.own);
}

void TrafficRun::start_sending(Time now) {
  end(Phase::kTraffic);
  sender_ =
      std::make_unique<TrafficSender>(spec(), environment_, qps_, region_, rng_.next(), began_, result_);
  sender_->start(now);
}

void TrafficRun::on_answer(const Answer& answer, Time now) {
  quiet_since_ = now;
  if (answer.dest_qp == churn_.own) churn_.answered = true;
  const auto closed = churn_.closed.find(answer.dest_qp);
  if (closed != churn_.closed.end() && answer.psn == closed->second)
    fail("the target answered a packet for a queue pair that it had destroyed");
  if (sender_) sender_->on_answer(answer, now);
}

void TrafficRun::on_foreign(const Answer& /*answer*/, Time /*now*/) { ++result_.foreign; }

/// Handles a request that the target has refused.
void TrafficRun::broken(const TargetReply& reply) {
  gone_ = reply.gone;
  const bool enough = phase_ == Phase::kOpen && spec().fewer_qps && at_ != 0 && !gone_;
  if (enough) {
    qps_.resize(at_);
    immediates_.resize(at_);
    return;
  }
  if (why_broken_.empty()) why_broken_ = *reply.error;
  unsupported_ = unsupported_ || reply.unsupported;
  const bool closing = phase_ == Phase::kClose;
  end(gone_ || closing ? Phase::kDone : Phase::kClose);
}

void TrafficRun::on_reply(const TargetReply& reply, Time now) {
  waiting_ = false;
  if (reply.error) return broken(reply);
  switch (phase_) {
    case Phase::kFill:
      return end(Phase::kCountersBefore);
    case Phase::kCountersBefore:
      counters_ = reply.counters;
      return end(Phase::kOpen);
    case Phase::kOpen:
      return opened(reply);
    case Phase::kTraffic:
    case Phase::kSettle:
    case Phase::kCompletions:
      if (churn_.step == Churn::Step::kSend && !churn_.script && reply.qp != 0) {
        churn_.script.emplace(ScriptSetup{.path = environment_.path,
                                          .dest_qp = reply.qp,
                                          .unused_qp = environment_.unused_qp,
                                          .first_psn = churn_.psn,
                                          .regions = environment_.regions,
                                          .second_ip = environment_.second_ip});
      }
      take_completions(reply);
      if (phase_ == Phase::kCompletions) end(Phase::kCountersAfter);
      return;
    case Phase::kMemory:
      return judge_memory(reply);
    case Phase::kCountersAfter:
      judge_counters(reply);
      return end(Phase::kClose);
    case Phase::kClose:
      ++at_;
      if (at_ == qps_.size()) finish_pass(now);
      return;
    case Phase::kDone:
      return;
  }
}

/// Carries out the next action of the current phase. Returns false if it has to wait.
bool TrafficRun::advance(Time now, Frames& out) {
  switch (phase_) {
    case Phase::kCountersBefore:
      if (!needs_counters()) {
        end(Phase::kOpen);
        return true;
      }
      ask(CountersRequest{});
      return false;
    case Phase::kOpen:
      return open_next(now);
    case Phase::kTraffic:
      return traffic(now, out);
    case Phase::kSettle:
      return settle(now, out);
    case Phase::kMemory:
      return read_memory();
    case Phase::kCompletions:
      if (!environment_.target.receives || spec().receives == 0) {
        end(Phase::kCountersAfter);
        return true;
      }
      ask(CompletionsRequest{});
      return false;
    case Phase::kCountersAfter:
      if (!needs_counters()) {
        end(Phase::kClose);
        return true;
      }
      ask(CountersRequest{});
      return false;
    case Phase::kClose:
      while (at_ < qps_.size() && qps_[at_].remote == 0) ++at_;
      if (at_ == qps_.size()) {
        finish_pass(now);
        return true;
      }
      ask(CloseRequest{qps_[at_].remote});
      return false;
    case Phase::kFill:
    case Phase::kDone:
      break;
  }
  return false;
}

void TrafficRun::run(Time now, Frames& out) {
  if (sender_ && waiting_ && (phase_ == Phase::kTraffic || phase_ == Phase::kSettle)) sender_->run(now, out);
  while (!waiting_ && !request_ && !done() && advance(now, out)) {
  }
}

Time TrafficRun::next_event() const {
  if (done()) return kNever;
  const bool sending = phase_ == Phase::kTraffic || phase_ == Phase::kSettle;
  if (waiting_) return sending ? sender_->next_event() : kNever;
  if (request_ || !sending) return 0;
  const Time next = sender_->next_event();
  if (phase_ == Phase::kSettle) return std::min(next, quiet_since_ + environment_.timing.silence);
  const Time poll = spec().receives == 0 ? kNever : poll_at_;
  const bool closing = churn_.step == Churn::Step::kClose;
  const Time close = closing ? churn_.sent + environment_.timing.t_ack : kNever;
  return std::min({next, poll, close, sender_->stalled_at()});
}

/// Sends packets, and posts new receives in place of those that were consumed.
bool TrafficRun::traffic(Time now, Frames& out) {
  sender_->run(now, out);
  if (!to_post_.empty()) {
    ask(ReceiveRequest{to_post_.back().first, to_post_.back().second});
    to_post_.pop_back();
    return false;
  }
  if (spec().receives != 0 && now >= poll_at_) {
    poll_at_ = now + kPollInterval;
    ask(CompletionsRequest{});
    return false;
  }
  const bool changing = !passes_[pass_].alone && churn_.done < spec().churn;
  if (changing) return churn(now, out);
  if (!sender_->finished() && now < sender_->stalled_at()) return false;
  if (!sender_->finished()) fail("no further packet was acknowledged");
  quiet_since_ = now;
  end(Phase::kSettle);
  return true;
}

/// Opens an additional queue pair, writes to it, closes it, and writes to it again.
bool TrafficRun::churn(Time now, Frames& out) {
  static const PacketSpec kFirst = parse_packets("O(e,64)!").front();
  static const PacketSpec kLate = parse_packets("O(e+1,64)!").front();
  Churn& c = churn_;
  switch (c.step) {
    case Churn::Step::kOpen:
      c.script.reset();
      c.answered = false;
      c.own = next_qpn_++;
      c.psn = static_cast<roce::Psn>(rng_.next()) & roce::kPsnMask;
      own_.insert(c.own);
      c.step = Churn::Step::kSend;
      ask(OpenRequest{
          .spec = {}, .psn = c.psn, .requester_qp = c.own, .requester_ip = environment_.path.source_ip});
      return false;
    case Churn::Step::kSend:
      for (auto& frame : c.script->make(kFirst).frames) out.push_back(std::move(frame));
      c.sent = now;
      c.step = Churn::Step::kClose;
      return true;
    case Churn::Step::kClose:
      if (!c.answered && now < c.sent + environment_.timing.t_ack) return false;
      c.step = Churn::Step::kSendAgain;
      ask(CloseRequest{c.script->setup().dest_qp});
      return false;
    case Churn::Step::kSendAgain:
      for (auto& frame : c.script->make(kLate).frames) out.push_back(std::move(frame));
      c.closed[c.own] = roce::psn_add(c.psn, 1);
      ++c.done;
      c.step = Churn::Step::kOpen;
      return true;
  }
  return false;
}

/// Waits until there has been no answer for the silence window.
bool TrafficRun::settle(Time now, Frames& out) {
  sender_->run(now, out);
  if (now < quiet_since_ + environment_.timing.silence) return false;
  end(Phase::kMemory);
  return true;
}

bool TrafficRun::read_memory() {
  const std::uint64_t from = at_ * kMemoryPart;
  const std::uint64_t size = sender_->memory().size();
  if (!environment_.target.memory || from >= size) {
    end(Phase::kCompletions);
    return true;
  }
  ask(CrcRequest{.region = 0, .offset = from, .length = std::min(kMemoryPart, size - from)});
  return false;
}

void TrafficRun::judge_memory(const TargetReply& reply) {
  const std::uint64_t from = at_ * kMemoryPart;
  const ByteSpan all(sender_->memory());
  const ByteSpan wanted = all.subspan(from, std::min<std::size_t>(kMemoryPart, all.size() - from));
  const bool read = !reply.bytes.empty();
  if (!read && roce::crc32(0, wanted) != reply.crc)  // read the bytes to find out which ones differ
    return ask(ReadRequest{.region = 0, .offset = from, .length = wanted.size()});
  ++at_;
  if (!read) return;
  const auto [expected, found] =
      std::mismatch(wanted.begin(), wanted.end(), reply.bytes.begin(), reply.bytes.end());
  if (expected == wanted.end() || found == reply.bytes.end()) return;
  constexpr std::ptrdiff_t kShown = 16;
  MemoryDifference difference;
  difference.offset = from + static_cast<std::uint64_t>(expected - wanted.begin());
  difference.expected.assign(expected, expected + std::min(kShown, wanted.end() - expected));
  difference.found.assign(found, found + std::min(kShown, reply.bytes.end() - found));
  difference.text = "the bytes from here on are not those that were sent";
  result_.memory.push_back(std::move(difference));
  fail("memory: the bytes from offset " + std::to_string(result_.memory.back().offset) +
       " on are not those that were sent");
}

void TrafficRun::take_completions(const TargetReply& reply) {
  for (const Completion& c : reply.completions) {
    const auto qp =
        std::find_if(qps_.begin(), qps_.end(), [&](const TrafficQp& q) { return q.remote == c.qp; });
    if (qp == qps_.end()) continue;
    if (c.success && c.immediate)
      immediates_[static_cast<std::size_t>(qp - qps_.begin())].push_back(*c.immediate);
    if (!c.success && !spec().may_fail) fail("a receive of the target completed with the status " + c.status);
    const auto post =
        std::find_if(to_post_.begin(), to_post_.end(), [&](const auto& p) { return p.first == c.qp; });
    if (post != to_post_.end()) {
      ++post->second;
    } else if (c.success && phase_ == Phase::kTraffic) {
      to_post_.emplace_back(c.qp, 1);
    }
  }
}

void TrafficRun::judge_counters(const TargetReply& reply) {
  if (passes_[pass_].alone) return;
  const TrafficStats stats = sender_->stats();
  const std::string suffix = spec().name.empty() ? "" : "_" + spec().name;
  for (const auto& [name, wanted] : spec().counters) {
    if (reply.counters.find(name) == reply.counters.end()) continue;  // the target does not have this counter
    const std::uint64_t increase = value_in(reply.counters, name) - value_in(counters_, name);
    result_.figures.push_back(
        {.name = "counter_" + name + suffix, .value = static_cast<double>(increase), .unit = ""});
    Range range = wanted.range;
    if (const auto wire = counter_of_wire(stats, name); wire && wanted.of_wire) {
      range = {*wire, *wire};
      result_.figures.push_back(
          {.name = "wire_" + name + suffix, .value = static_cast<double>(*wire), .unit = ""});
    }
    const bool judged = case_.level != Level::kMeasure;
    if (judged && !range.contains(increase))
      fail("counter " + name + " rose by " + std::to_string(increase) + " instead of " + range_words(range));
  }
}

/// Checks that each immediate arrived once, in the order of the messages.
void TrafficRun::judge_immediates() {
  if (!spec().immediate || !environment_.target.receives || spec().may_fail) return;
  for (std::size_t k = 0; k < qps_.size(); ++k) {
    if (qps_[k].clean) continue;
    const auto& found = immediates_[k];
    const std::uint64_t wanted = sender_->messages(k);
    if (found.size() != wanted)
      fail("immediates: " + std::to_string(found.size()) + " instead of " + std::to_string(wanted));
    for (std::uint32_t n = 0; n < found.size(); ++n) {
      if (found[n] == n) continue;
      fail("immediate " + std::to_string(found[n]) + " arrived instead of " + std::to_string(n));
      break;
    }
  }
}

void TrafficRun::judge(const TrafficStats& stats) {
  if (!result_.findings.empty()) fail(result_.findings.front().text);
  for (std::size_t k = 0; k < qps_.size(); ++k) {
    const std::string status = sender_->failure(k);
    const bool tolerated = spec().may_fail && !qps_[k].clean;
    if (!status.empty() && !tolerated) fail("queue pair " + std::to_string(k) + " failed: " + status);
    const TrafficQpStats& qp = stats.qps[k];
    if (qp.clean && qp.naks + qp.timeouts != 0)
      fail("packets of the clean queue pair were lost; NAKs 0x60: " + std::to_string(qp.naks) +
           ", timeouts: " + std::to_string(qp.timeouts));
  }
  if (!spec().naks.contains(stats.naks()))
    fail("NAKs 0x60: " + std::to_string(stats.naks()) + " instead of " + range_words(spec().naks));
  if (!spec().timeouts.contains(stats.timeouts()))
    fail("timeouts: " + std::to_string(stats.timeouts()) + " instead of " + range_words(spec().timeouts));
  judge_immediates();
}

/// Judges the run, and begins the next one, if any.
void TrafficRun::finish_pass(Time now) {
  if (why_broken_.empty() && sender_) {
    TrafficStats stats = sender_->stats();
    stats.alone = alone_;
    judge(stats);
    if (passes_[pass_].alone) {
      alone_ = stats.clean_goodput();
    } else {
      for (Figure& figure : figures_of(spec(), stats)) result_.figures.push_back(std::move(figure));
      for (RuleResult& rule : sender_->rules()) {
        if (rule.hits == 0 && never_hit_.empty()) never_hit_ = rule.text;
        result_.rules.push_back(std::move(rule));
      }
    }
  }
  if (!why_broken_.empty() || failed_ || ++pass_ == passes_.size()) return end(Phase::kDone);
  begin_pass(now);
}

void TrafficRun::fail(const std::string& reason) {
  failed_ = true;
  const std::string& name = spec().name;
  if (result_.reason.empty()) result_.reason = name.empty() ? reason : name + ": " + reason;
}

CaseResult TrafficRun::take_result(Time now) {
  result_.seconds = to_seconds(now - began_);
  if (!why_broken_.empty()) {
    result_.verdict = unsupported_ ? Verdict::kNotApplicable : Verdict::kInconclusive;
    result_.reason = why_broken_;
  } else if (failed_) {
    result_.verdict = Verdict::kFail;
  } else if (!never_hit_.empty()) {
    result_.verdict = Verdict::kInconclusive;
    result_.reason = "no packet met the rule " + never_hit_;
  } else {
    result_.verdict = case_.level == Level::kMeasure ? Verdict::kMeasured : Verdict::kPass;
  }
  return std::move(result_);
}

}  // namespace softfeb::conformance
