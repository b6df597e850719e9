// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/traffic_sender.hpp"

#include "roce/frame.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::conformance {

namespace {

using roce::Operation;

/// Codes of the requester's ACK timeout (IBA 9.7.6.1.3): kTimeout is the default, kLongestTimeout the longest
/// that is used.
constexpr std::uint8_t kTimeout = 14, kLongestTimeout = 20;
constexpr std::uint8_t kUnlimitedRetries = 7;
constexpr std::uint32_t kMostSlots = 64;

Time timeout_of(std::uint8_t code) { return roce::ack_timeout(roce::TimingProfile::kStandard, code); }

/// Returns the default ACK timeout, or a longer one if the answers of this target take longer.
std::uint8_t timeout_for(Time t_ack) {
  std::uint8_t code = kTimeout;
  while (code < kLongestTimeout && timeout_of(code) < 2 * t_ack) ++code;
  return code;
}

roce::Path path_of(const CaseEnvironment& environment, const TrafficQp& qp, bool marked) {
  roce::Path path = environment.path;
  path.source_ip = qp.board;
  if (marked) path.ecn = roce::Ecn::kCe;
  path.udp_source_port = static_cast<std::uint16_t>(0xc000 | (qp.own & 0x3fff));
  return path;
}

/// True if a receiver would accept the iCRC.
bool intact(ByteSpan frame) {
  const roce::ParsedFrame parsed = roce::parse_frame(Segments(frame));
  return parsed.kind == roce::FrameKind::kUdp && roce::icrc_matches(parsed);
}

bool marks(const TrafficSpec& spec) {
  return spec.marked || std::any_of(spec.rules.begin(), spec.rules.end(), [](const TrafficRule& r) {
           return r.rule.action.kind == faults::ActionKind::kMarkCe ||
                  r.rule.action.kind == faults::ActionKind::kSetEcn;
         });
}

}  // namespace

RandomPayload::RandomPayload(std::uint64_t seed) : table_(kPeriod + kLongest) {
  Rng rng(seed);
  for (std::size_t k = 0; k < kPeriod; ++k) table_[k] = static_cast<std::uint8_t>(rng.next() >> 56);
  std::copy_n(table_.begin(), kLongest, table_.begin() + static_cast<std::ptrdiff_t>(kPeriod));
}

TrafficSender::TrafficSender(const TrafficSpec& spec, const CaseEnvironment& environment,
                             std::vector<TrafficQp> qps, const RegionPlace& region, std::uint64_t seed,
                             Time began, CaseResult& result)
    : spec_(spec),
      environment_(environment),
      qps_(std::move(qps)),
      region_(region),
      began_(began),
      result_(result),
      payload_(seed),
      wire_(spec, qps_, seed + 1, *this),
      board_of_(qps_.size()),
      on_board_(qps_.size()) {
  const std::uint64_t share = region.size / qps_.size();
  // If queue pairs share slots, or may fail after an unknown number of writes, the required contents are
  // unknown. In these cases, memory_ stays empty.
  if (share >= longest_message() && !spec.may_fail) memory_.assign(region.size, kGuard);
  for (std::uint32_t k = 0; k < qps_.size(); ++k) {
    logs_.emplace_back(qps_[k].first_psn, spec.window);
    by_remote_[qps_[k].remote] = k;
    by_own_[qps_[k].own] = k;
    stats_.qps.push_back({.address = k % spec.addresses, .clean = qps_[k].clean});
  }
  if (spec.shortest != 0) lengths_.emplace(std::vector<Cdf::Point>{{spec.shortest, 0}, {spec.message, 1}});
  for (std::uint32_t address = 0; address < spec.addresses; ++address) make_board(address, false);
  if (spec.clean_rate) make_board(0, true);
}

std::uint32_t TrafficSender::longest_message() const {
  return spec_.message != 0 ? spec_.message
                            : static_cast<std::uint32_t>(
                                  std::min<std::uint64_t>(region_.size, environment_.target.max_message));
}

/// Creates a board for one of the addresses, or for the clean queue pair. The clean queue pair has its own
/// board, so that the other queue pairs do not delay its packets. The rate limit of the other boards leaves
/// room on the link for twice the rate that the clean queue pair needs.
void TrafficSender::make_board(std::uint32_t address, bool clean) {
  engine::BoardConfig config;
  for (std::uint32_t k = 0; k < qps_.size(); ++k) {
    if (qps_[k].clean != clean || (!clean && k % spec_.addresses != address)) continue;
    const roce::Path path = path_of(environment_, qps_[k], spec_.marked);
    config.identity = {.mac = path.source_mac,
                       .ip = path.source_ip,
                       .prefix_length = 0,
                       .vlan = path.vlan,
                       .gateway = std::nullopt};
    board_of_[k] = static_cast<std::uint32_t>(boards_.size());
    on_board_[k] = static_cast<std::uint32_t>(config.qps.size());
    config.qps.push_back(qp_config(k, path));
  }
  if (config.qps.empty()) return;
  const std::uint64_t share = spec_.clean_rate ? 2 * *spec_.clean_rate : 0;
  config.link_rate = clean ? share : environment_.link_rate - std::min(environment_.link_rate / 2, share);
  boards_.push_back(std::make_unique<engine::Board>(config));
}

engine::SendQpConfig TrafficSender::qp_config(std::uint32_t k, const roce::Path& path) const {
  engine::SendQpConfig out;
  out.requester.transport = spec_.transport;
  out.requester.qpn = qps_[k].own;
  out.requester.dest_qpn = qps_[k].remote;
  out.requester.pmtu = spec_.pmtu;
  out.requester.initial_psn = qps_[k].first_psn;
  out.requester.timeout = timeout_for(environment_.timing.t_ack);
  out.requester.retry_count = kUnlimitedRetries;
  out.requester.window_packets = spec_.window;
  out.requester.window_requests = std::max(spec_.window, 16U);
  out.requester.send_queue_depth = 2 * out.requester.window_requests;
  out.path = path;
  out.peer_mac = path.dest_mac;
  out.payload = &payload_;
  out.traffic = traffic_config(k);
  if (lengths_) {
    auto times = std::make_shared<engine::MessageTimesConfig>();
    times->lengths = {.cdf = &*lengths_, .seed = Rng::mixed(k, qps_[k].own, qps_[k].first_psn)};
    out.times = std::move(times);
  }
  return out;
}

engine::TrafficConfig TrafficSender::traffic_config(std::uint32_t k) const {
  const bool clean = qps_[k].clean;
  const std::uint32_t message = clean ? spec_.pmtu : longest_message();
  const std::uint64_t share = region_.size / qps_.size();
  engine::TrafficConfig out;
  out.plan = board::MessagePlan::endless(message);
  if (spec_.duration == 0) out.messages = spec_.messages;
  out.remote_address = region_.address + (share >= message ? k * share : 0);
  out.rkey = region_.rkey;
  out.stride = message;
  out.slots = std::clamp<std::uint64_t>(share / message, 1, kMostSlots);
  out.verb = spec_.immediate && !clean ? roce::WrOpcode::kWriteImm : roce::WrOpcode::kWrite;
  out.immediate_kind = engine::ImmediateKind::kCounter;
  if (clean) {
    out.rate_kind = engine::RateKind::kPayloadBytes;
    out.rate = *spec_.clean_rate;
  }
  return out;
}

void TrafficSender::start(Time now) {
  stats_.began = now;
  progress_ = now;
  next_ = now;
  if (spec_.duration != 0) stop_at_ = now + std::min(spec_.duration, environment_.longest_traffic);
  for (const auto& board : boards_) board->start(now);
}

void TrafficSender::run(Time now, Frames& out) {
  out_ = &out;
  std::move(late_.begin(), late_.end(), std::back_inserter(out));
  late_.clear();
  wire_.run(now);
  stop_if_over(now);
  next_ = std::min(wire_.next_event(), stopped_ ? kNever : stop_at_);
  for (std::size_t b = 0; b < boards_.size(); ++b)
    next_ = std::min(next_, poll(b, now) ? boards_[b]->next_event(now) : now + kMicrosecond);
  out_ = nullptr;
}

/// Ends all traffic when the duration of the run is over. Before that, ends the traffic of each queue pair
/// that has failed.
void TrafficSender::stop_if_over(Time now) {
  for (std::size_t k = 0; k < qps_.size() && spec_.may_fail; ++k) {
    if (qp(k).failure()) qp(k).drop_traffic();
  }
  if (stopped_ || now < stop_at_) return;
  stopped_ = true;
  for (const auto& board : boards_) board->stop_traffic(now);
}

/// Sends packets of a board that are due. Returns false if there may be more.
bool TrafficSender::poll(std::size_t board, Time now) {
  std::array<engine::TxFrame, kBurst> frames;
  for (std::size_t sent = 0; sent < kMostPerRun;) {
    if (environment_.waiting_frames && environment_.waiting_frames() > kMostWaiting) return false;
    if (out_->size() > kMostPerRun) return false;
    for (std::size_t k = 0; k < kBurst; ++k) frames[k] = {.header = rooms_[k].data()};
    const std::size_t n = boards_[board]->poll(now, frames);
    for (std::size_t k = 0; k < n; ++k) send(frames[k], now);
    sent += n;
    if (n < kBurst) return true;
  }
  return false;
}

void TrafficSender::send(const engine::TxFrame& tx, Time now) {
  FaultFrame* const frame = wire_.take();
  auto& bytes = frame->bytes;
  bytes.assign(tx.header, tx.header + tx.header_length);
  bytes.insert(bytes.end(), tx.payload, tx.payload + tx.payload_length);
  bytes.insert(bytes.end(), tx.trailer.begin(), tx.trailer.begin() + tx.trailer_length);
  frame->payload = tx.header_length;
  frame->length = tx.payload_length;
  const auto at = faults::locate_roce(bytes);
  const auto found = at ? by_remote_.find(at->dest_qp) : by_remote_.end();
  if (found == by_remote_.end()) return wire_.send(frame, true, now);
  const Operation operation = roce::opcode_operation(bytes[at->bth]);
  std::optional<std::uint64_t> offset;
  if (roce::has_reth(operation)) offset = load_be64(&bytes[at->bth + roce::Bth::kSize]) - region_.address;
  const auto place =
      logs_[found->second].sent(at->psn, offset, tx.payload_length, roce::ends_message(operation));
  frame->offset = place.value_or(UINT64_MAX);
  // memory_ is right even if several messages of a queue pair use the same slot: the target writes packets in
  // the order in which they are sent for the first time.
  if (spec_.transport == roce::Transport::kRc) {
    write(*frame);
  } else {
    progress_ = now;  // UC packets are not acknowledged
  }
  wire_.send(frame, qps_[found->second].clean, now);
}

/// Records that the payload of a request must be in memory.
void TrafficSender::write(const FaultFrame& frame) {
  if (frame.offset > memory_.size() || frame.length > memory_.size() - frame.offset) return;
  std::copy_n(frame.bytes.begin() + frame.payload, frame.length,
              memory_.begin() + static_cast<std::ptrdiff_t>(frame.offset));
}

void TrafficSender::leave(const FaultFrame& frame, TracePacket::Fault fault, Time now) {
  (out_ != nullptr ? *out_ : late_).push_back(frame.bytes);
  trace(frame, TracePacket::Judgement::kSent, fault, now);
  if (frame.changed && !intact(frame.bytes)) {
    ++stats_.icrc_errors;
    return;
  }
  const auto at = faults::locate_roce(frame.bytes);
  const auto found = at ? by_remote_.find(at->dest_qp) : by_remote_.end();
  if (found == by_remote_.end()) return;
  if (spec_.marked) ++stats_.marked;
  logs_[found->second].delivered(at->psn);
  if (spec_.transport == roce::Transport::kUc) write(frame);
}

void TrafficSender::lost(const FaultFrame& frame, Time now) {
  trace(frame, TracePacket::Judgement::kNotSent, TracePacket::Fault::kNone, now);
}

void TrafficSender::reach(const FaultFrame& frame, Time now) {
  const auto at = faults::locate_roce(frame.bytes);
  const auto found = at ? by_own_.find(at->dest_qp) : by_own_.end();
  if (found == by_own_.end()) return;
  const roce::Requester& requester = qp(found->second).requester();
  const std::uint64_t acknowledged = requester.progress().acked;
  boards_[board_of_[found->second]]->receive(roce::parse_frame(Segments(ByteSpan(frame.bytes))), now);
  if (requester.progress().acked != acknowledged) progress_ = now;
  next_ = now;
}

/// Checks an answer before fault rules act on it. Returns a description of the error; empty if there is none.
std::string TrafficSender::check(const Answer& answer, std::uint32_t qp) {
  if (std::string text = wrong_form(answer, spec_.transport); !text.empty()) {
    find("form", text);
    return text;
  }
  if (answer.is_cnp()) {
    stats_.cnps.add(answer.at);
    stats_.qps[qp].cnps.add(answer.at);
    const bool may = marks(spec_) || environment_.profile->cnps_with_naks.value_or(false);
    if (may) return {};
    find("cnp", "a CNP although no packet was marked");
    return "a CNP although no packet was marked";
  }
  if (answer.aeth && answer.opcode == roce::kOpcodeRcAck) {
    if (answer.aeth->kind() == roce::AethKind::kRnrNak) ++stats_.rnr_naks;
    if (answer.aeth->syndrome == 0x60) ++stats_.qps[qp].naks;
  }
  std::string text = logs_[qp].answer(answer);
  if (!text.empty()) find(answer.is_ack() ? "ack" : "go-back-n", text);
  return text;
}

void TrafficSender::on_answer(const Answer& answer, Time now) {
  const auto found = by_own_.find(answer.dest_qp);
  if (found == by_own_.end()) return;
  const std::string wrong = check(answer, found->second);
  trace(answer, found->second, wrong, now);
  FaultFrame* const frame = wire_.take();
  frame->bytes = answer.frame;
  wire_.receive(frame, qps_[found->second].clean, now);
}

Time TrafficSender::stalled_at() const {
  constexpr Time kTimeouts = 8;
  return progress_ + kTimeouts * timeout_of(timeout_for(environment_.timing.t_ack));
}

bool TrafficSender::finished() const {
  for (std::size_t k = 0; k < qps_.size(); ++k) {
    const engine::SendQp& q = qp(k);
    if (!q.finished() && !(spec_.may_fail && q.failure())) return false;
  }
  return true;
}

TrafficStats TrafficSender::stats() const {
  TrafficStats out = stats_;
  for (std::size_t k = 0; k < qps_.size(); ++k) {
    const engine::SendQp& q = qp(k);
    const roce::RequesterCounters counters = q.requester().counters();
    out.qps[k].bytes = q.counters().completed_bytes;
    out.qps[k].messages = counters.messages_completed;
    out.qps[k].retransmissions = counters.retransmitted_packets;
    out.qps[k].timeouts = counters.timeouts;
    out.qps[k].last_completed = q.counters().last_completed;
    out.qps[k].failed = q.failure().has_value();
    out.out_of_sequence += logs_[k].out_of_sequence();
    out.duplicates += logs_[k].duplicates();
  }
  return out;
}

std::string TrafficSender::failure(std::size_t k) const {
  const auto status = qp(k).failure();
  return status ? roce::to_string(*status) : "";
}

void TrafficSender::find(const char* checker, const std::string& text) {
  constexpr std::size_t kMostFindings = 20;
  if (result_.findings.size() >= kMostFindings) return;
  CheckerFinding finding{.checker = checker, .text = text, .packet = std::nullopt};
  // The packet is added to the trace after this call, unless the trace is full.
  if (result_.trace.size() < kMostTraced) finding.packet = result_.trace.size();
  result_.findings.push_back(std::move(finding));
}

void TrafficSender::trace(const FaultFrame& frame, TracePacket::Judgement judgement, TracePacket::Fault fault,
                          Time now) {
  const bool noteworthy = judgement == TracePacket::Judgement::kNotSent || fault != TracePacket::Fault::kNone;
  if (result_.trace.size() >= (noteworthy ? kMostTraced : kFirstTraced)) return;
  const auto at = faults::locate_roce(frame.bytes);
  if (!at) return;
  const auto found = by_remote_.find(at->dest_qp);
  const std::uint32_t qp = found == by_remote_.end() ? 0 : found->second;
  result_.trace.push_back({.at = now - began_,
                           .judgement = judgement,
                           .fault = fault,
                           .opcode = frame.bytes[at->bth],
                           .psn = at->psn,
                           .first_psn = qps_[qp].first_psn,
                           .qp = qp,
                           .length = frame.length,
                           .ack_req = (frame.bytes[at->bth + 8] & 0x80) != 0,
                           .frame = frame.bytes});
}

void TrafficSender::trace(const Answer& answer, std::uint32_t qp, const std::string& wrong, Time now) {
  const bool noteworthy = !wrong.empty() || !answer.is_ack();
  if (result_.trace.size() >= (noteworthy ? kMostTraced : kFirstTraced)) return;
  result_.trace.push_back(
      {.at = now - began_,
       .judgement = wrong.empty() ? TracePacket::Judgement::kExpected : TracePacket::Judgement::kUnexpected,
       .opcode = answer.opcode,
       .psn = answer.psn,
       .first_psn = qps_[qp].first_psn,
       .qp = qp,
       .aeth = answer.aeth,
       .length = static_cast<std::uint32_t>(answer.payload),
       .comment = wrong.empty() ? "" : "unexpected: " + wrong,
       .frame = answer.frame});
}

}  // namespace softfeb::conformance
