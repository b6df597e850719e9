// SPDX-License-Identifier: BSD-3-Clause
#include "wire_replay.hpp"

#include <algorithm>
#include <stdexcept>

#include <catch2/catch.hpp>

namespace softfeb::test {

using namespace roce;

namespace {

using Kind = WireEvent::Kind;

/// The firmware decides to send a packet, and transmits it after a pipeline delay of at most this time.
constexpr Time kPipeline = 256 * kFirmwareClock;

bool contains(const nlohmann::json& header, const char* key, const char* word) {
  return header.value(key, std::string()).find(word) != std::string::npos;
}

RequesterConfig config_of(const WireFile& file) {
  const auto& connection = file.header.at("connection");
  const auto& setup = connection.at("setup_args");
  // The netlist of November 2025 behaves differently from later ones (window_4, rnr_retry7_*).
  const bool rtl_2025 = contains(file.header, "rtl", "2025");
  RequesterConfig c;
  c.timing = TimingProfile::kFirmware;
  c.qpn = connection.at("qpn");
  c.dest_qpn = setup.at("dqpn");
  c.pmtu = pmtu_bytes(setup.at("pmtu"));
  c.initial_psn = setup.at("sqpsn");
  c.timeout = setup.at("tmo");
  c.retry_count = setup.at("rty");
  c.rnr_retry = setup.at("rnr");
  c.min_rnr_timer = setup.at("rnrt");
  c.sq_sig_all = setup.at("sigall") != 0;
  c.send_queue_depth = 1024;
  c.window_requests = rtl_2025 ? 4 : 16;
  c.rnr_infinite_needs_both = rtl_2025;
  return c;
}

/// Returns the byte at address `a` of the memory pattern that the header describes ("DMA byte at address a
/// = …").
std::uint8_t memory_at(std::uint64_t a) {
  return static_cast<std::uint8_t>(a ^ ((a >> 8) * 3) ^ ((a >> 16) * 5) ^ 0x5a);
}

Psn psn_of(const std::vector<std::uint8_t>& packet) { return load_be24(&packet[9]); }

}  // namespace

WireReplay::WireReplay(const WireFile& file)
    : file_(file),
      pkey_(file.header.at("connection").at("setup_args").value("pkey", kDefaultPkey)),
      shows_defect_(file.name.find("BUG") != std::string::npos ||
                    contains(file.header, "description", "BUG") || contains(file.header, "case", "BUG")),
      requester_(config_of(file)) {
  if (!contains(file.header, "memory", "(a ^ ((a>>8)*3) ^ ((a>>16)*5) ^ 0x5A) & 255")) {
    throw std::runtime_error(file.name + ":1: a memory pattern this replay does not know");
  }
}

void WireReplay::run() {
  for (const WireEvent& e : file_.events) {
    INFO(file_.name << ":" << e.line);
    const Time t = e.cycle * kFirmwareClock;
    switch (e.kind) {
      case Kind::kTransmit:
        check_not_early(e);
        advance(t);
        on_transmit(e);
        break;
      case Kind::kCompletion:
        expected_.push_back(&e);
        break;
      default:
        advance(t);
        // Inputs that follow each other within kPipeline form a burst. Check the completions when the next
        // burst begins.
        if (t > last_input_ + kPipeline) check_completions();
        last_input_ = t;
        on_input(e);
        break;
    }
    take_eagerly();
  }
  check_end();
}

void WireReplay::advance(Time t) {
  while (requester_.deadline() <= t) {
    now_ = std::max(now_, requester_.deadline());
    requester_.on_timer(now_);
    take_eagerly();
  }
  now_ = t;
}

void WireReplay::on_input(const WireEvent& e) {
  // softfeb's requester sends as soon as one slot is free, whereas the firmware waits for two (window_4).
  // softfeb's requester may therefore have a new packet ready earlier than the firmware. A retransmission
  // must not be ready earlier.
  if (!past_defect_ && requester_.ready(now_)) {
    INFO("about to resend PSN " << requester_.peek().psn);
    CHECK_FALSE(requester_.peek().retransmission);
  }
  switch (e.kind) {
    case Kind::kWorkRequest:
      post(e.fields);
      break;
    case Kind::kReceive:
      receive(e.bytes);
      break;
    case Kind::kControl:
      control(e.text);
      break;
    default:
      meta_response(e.text);
      break;
  }
}

void WireReplay::post(const nlohmann::json& wr) {
  WorkRequest r;
  r.id = wr.at("id");
  r.opcode = static_cast<WrOpcode>(wr.at("op").get<std::uint8_t>());
  r.signaled = (wr.at("flags").get<unsigned>() & 2) != 0;
  r.solicited =
      wr.value("sol", 0) != 0;  // the firmware uses the bit `sol`, and ignores the flag SOLICITED (4)
  r.remote_address = wr.at("raddr");
  r.rkey = wr.at("rkey");
  r.length = wr.at("len");
  r.immediate = wr.value("imm", 0U);
  r.payload_offset = wr.at("laddr");
  REQUIRE(requester_.post(r, now_));
}

void WireReplay::receive(const Bytes& packet) {
  const TransportPacket p = parse_transport(ByteSpan(packet));
  const Bth& bth = p.request.bth;
  if (p.kind == TransportKind::kAcknowledge) {
    const bool inside =
        first_sent_.count(bth.psn) != 0 && !begins_message(opcode_operation(first_sent_[bth.psn][0]));
    requester_.on_response(p.aeth, bth.psn, now_);
    if (shows_defect_ && inside && p.aeth.kind() != AethKind::kAck) resume_inside_message(bth.psn);
  } else if (p.kind == TransportKind::kUnknown && is_foreign_response(bth.opcode)) {
    requester_.on_bad_response(bth.psn, now_);
  } else if (packet.size() < Bth::kSize + Aeth::kSize && packet.at(0) == kOpcodeRcAck) {
    // The firmware accepts an ACK without AETH (rx_short_12), but softfeb does not. In softfeb, the requests
    // that this ACK acknowledges complete with the next ACK.
    completions_late_ = true;
  }
}

void WireReplay::control(const std::string& text) {
  if (text.rfind("output blocked", 0) == 0) {
    output_blocked_ = true;
  } else if (text.rfind("output released", 0) == 0) {
    output_blocked_ = false;
  } else if (text.find("isRespErr") != std::string::npos) {
    payload_fails_ = true;
  } else if (text.find("ok again") != std::string::npos) {
    payload_fails_ = false;
  } else {
    FAIL_CHECK("a control this replay does not know: " << text);
  }
}

/// Handles the response to a modify request for a QP. Bits 216:213 of the 276 bits contain the new state.
void WireReplay::meta_response(const std::string& hex) {
  constexpr std::size_t kDigits = 69;
  REQUIRE(hex.size() >= kDigits);
  if ((std::stoul(hex.substr(0, 1), nullptr, 16) >> 2) != 2) return;  // the response is not about a QP
  const auto digits = std::stoul(hex.substr(14, 2), nullptr, 16);     // bits 219:212
  requester_.set_state(static_cast<QpState>((digits >> 1) & 15), now_);
}

/// Handles a NAK inside a message, after which the defective firmware sends wrong packets. From then on, the
/// packets of the requester are compared with the first transmission of the same packets instead, starting
/// with the packet that the NAK requests.
void WireReplay::resume_inside_message(Psn psn) {
  past_defect_ = true;
  Psn last = psn;
  for (const auto& sent : first_sent_) {
    if (psn_diff(sent.first, last) > 0) last = sent.first;
  }
  for (Psn expected = psn; psn_diff(expected, last) <= 0; expected = psn_add(expected, 1)) {
    REQUIRE(requester_.ready(now_));
    const Sent sent = take();
    CHECK(sent.retransmission);
    CHECK(psn_of(sent.bytes) == expected);
    CHECK(sent.bytes == first_sent_.at(expected));
  }
}

/// Takes packets from the requester before the time at which the firmware transmitted them, because the
/// firmware itself works ahead in two cases: it makes packets even while its output is blocked, and it
/// requests a payload immediately if this request will fail.
void WireReplay::take_eagerly() {
  while ((output_blocked_ || payload_fails_) && requester_.ready(now_)) {
    if (payload_fails_) {
      requester_.next(now_);
      requester_.payload_error(now_);
    } else {
      output_.push_back(take());
    }
  }
}

WireReplay::Sent WireReplay::take() {
  const RequestPacket p = requester_.next(now_);
  Sent sent{render(p), p.retransmission};
  const auto [first, is_new] = first_sent_.emplace(p.psn, sent.bytes);
  CHECK(is_new != p.retransmission);
  CHECK(first->second == sent.bytes);
  return sent;
}

WireReplay::Bytes WireReplay::render(const RequestPacket& p) const {
  Bytes out(kMaxTransportHeaders);
  out.resize(encode_request(p, requester_.config().dest_qpn, pkey_, out.data()));
  for (std::uint32_t i = 0; i < p.payload_length; ++i) out.push_back(memory_at(p.payload_offset + i));
  out.resize(out.size() + p.pad_count());
  return out;
}

void WireReplay::on_transmit(const WireEvent& e) {
  if (past_defect_) return;
  if (output_.empty()) {
    REQUIRE(requester_.ready(now_));
    output_.push_back(take());
  }
  Bytes ours = output_.front().bytes;
  Bytes theirs = e.bytes;
  output_.pop_front();
  CHECK(ours.size() == theirs.size());
  const std::size_t pad = (ours[1] >> 4) & 3U;  // the firmware's pad bytes are undefined
  ours.resize(ours.size() - pad);
  if (theirs.size() >= pad) theirs.resize(theirs.size() - pad);
  if (ours != theirs) FAIL_CHECK("packet with PSN " << psn_of(ours) << " differs");
}

/// Fails if softfeb's requester is ready to retransmit a packet long before the firmware transmits it,
/// because softfeb's timeout is then too short.
void WireReplay::check_not_early(const WireEvent& e) {
  const Time t = e.cycle * kFirmwareClock;
  if (past_defect_ || !output_.empty() || t < now_ + kPipeline) return;
  advance(t - kPipeline);
  if (requester_.ready(now_)) CHECK_FALSE(requester_.peek().retransmission);
}

void WireReplay::check_completions() {
  if (completions_late_) {
    completions_late_ = false;
    return;
  }
  for (; !expected_.empty(); expected_.pop_front()) {
    INFO("completion of line " << expected_.front()->line);
    check_completion(expected_.front()->fields);
  }
  Completion extra;
  while (requester_.poll(extra)) FAIL_CHECK("completion of request " << extra.id << " is not the firmware's");
}

void WireReplay::check_completion(const nlohmann::json& wc) {
  Completion c;
  REQUIRE(requester_.poll(c));
  CHECK(c.id == wc.at("id").get<std::uint64_t>());
  CHECK(c.opcode == wc.at("op").get<unsigned>());
  CHECK(static_cast<unsigned>(c.status) == wc.at("status").get<unsigned>());
  CHECK(c.length == wc.at("len").get<std::uint32_t>());
  CHECK(c.qpn == wc.at("qpn").get<std::uint32_t>());
  CHECK(pkey_ == wc.at("pkey").get<std::uint16_t>());
}

/// Checks the last completions. If a timeout ends the request, these completions come long after the last
/// packet or input.
void WireReplay::check_end() {
  INFO(file_.name << ": at the end");
  const Time last = expected_.empty() ? now_ : std::max(now_, expected_.back()->cycle * kFirmwareClock);
  advance(last + kPipeline);
  completions_late_ = false;
  check_completions();
  CHECK(output_.empty());
  CHECK_FALSE(requester_.ready(now_));
}

}  // namespace softfeb::test
