// SPDX-License-Identifier: BSD-3-Clause
#include "control_replay.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

namespace softfeb::test {

namespace rssi = srp::rssi;

namespace {

constexpr Time kBegin = kSecond;               ///< time at which the first packet of the capture is replayed
constexpr Time kHoleTakes = 5 * kMillisecond;  ///< duration to which a gap in the capture is shortened
/// Time to wait at the end of the replay. It is longer than the time by which our server may delay an ACK.
constexpr Time kAfterwards = 10 * kMillisecond;
constexpr std::uint8_t kFirmwareFirst = 0x80;  ///< sequence number of the firmware's SYN

/// Returns the parameters in the SYN of the captured server, as an approximation of its limits. If the client
/// asked for a lower value than the server's limit, the SYN contains the client's value, and the limit is
/// really higher.
srp::RssiServerConfig limits_of(const CapturedConnection& connection) {
  srp::RssiServerConfig config;
  for (const CapturedSegment& s : connection.segments) {
    const rssi::Segment segment = s.parsed();
    if (!s.from_client && segment.syn) config.local = segment.syn->parameters;
  }
  return config;
}

Time silence_of_a_hole(const CapturedConnection& connection) {
  return connection.segments.front().parsed().syn->parameters.null_ms * kMillisecond;
}

bool has_number(const rssi::Segment& s) { return s.syn || !s.bare(); }

}  // namespace

ControlReplay::ControlReplay(const CapturedConnection& connection, srp::RssiUser& application)
    : connection_(connection), server_(limits_of(connection), *this, application), now_(kBegin) {}

void ControlReplay::run() {
  const Time longest = silence_of_a_hole(connection_);
  for (const CapturedSegment& s : connection_.segments) {
    if (s.from_client) {
      if (s.at > client_heard_ + longest) resume_after_hole(s.parsed().header, s.at);
      client_heard_ = s.at;
    }
    // Skip the time of a gap, because the segments that the client sent during a gap were not captured.
    advance(std::max(now_, kBegin + s.at - std::min(left_out_, s.at)));
    if (s.from_client) {
      give(s);
    } else {
      captured_.on_segment(s.parsed());
    }
  }
  advance(now_ + kAfterwards);
  check_end();
}

void ControlReplay::resume_after_hole(const rssi::Header& header, Time at) {
  ++holes_;
  left_out_ += at - client_heard_ - kHoleTakes;
  const auto goes_on_with = static_cast<std::uint8_t>(client_next_ + sequence_shift_);
  sequence_shift_ = rssi::ahead(header.sequence, goes_on_with);
  client_next_ = header.sequence;
  captured_.after_hole(header.acknowledge);
}

void ControlReplay::give(const CapturedSegment& captured) {
  const rssi::Segment original = captured.parsed();
  const Bytes datagram = rewritten(captured);
  const rssi::Segment segment = *rssi::parse(datagram);
  if (has_number(original)) {
    const auto after = static_cast<std::uint8_t>(original.header.sequence + 1);
    if (original.syn || rssi::ahead(client_next_, after) < 128) client_next_ = after;
  }
  client_reset_ = client_reset_ || segment.has(rssi::kRst);
  server_.on_datagram(connection_.client, datagram, now_);
  check_reaction(segment);
}

ControlReplay::Bytes ControlReplay::rewritten(const CapturedSegment& captured) const {
  Bytes out = captured.bytes;
  const rssi::Segment segment = captured.parsed();
  if (segment.syn) return out;
  rssi::Header header = segment.header;
  header.sequence = static_cast<std::uint8_t>(header.sequence + sequence_shift_);
  if (segment.has(rssi::kAck)) {
    const auto data = captured_.data_up_to(header.acknowledge);
    REQUIRE(data);  // all segments that the client acknowledges were captured
    // Our server must already have sent that many data segments.
    REQUIRE(*data < data_numbers_.size());
    header.acknowledge = data_numbers_[*data];
  }
  rssi::encode(header, out.data());
  return out;
}

void ControlReplay::advance(Time to) {
  while (server_.deadline() <= to) {
    now_ = std::max(now_, server_.deadline());
    server_.on_timer(now_);
  }
  now_ = to;
}

void ControlReplay::send(const srp::UdpPeer& to, ByteSpan datagram) {
  CHECK(to == connection_.client);
  CHECK(datagram.size() <= connection_.segments.front().parsed().syn->parameters.max_segment);
  const auto segment = rssi::parse(datagram);
  REQUIRE(segment);
  if (segment->has(rssi::kAck)) acknowledged_ = segment->header.acknowledge;
  if (segment->syn) {
    on_syn_ack(datagram);
  } else {
    on_segment(*segment);
  }
}

void ControlReplay::on_syn_ack(ByteSpan datagram) {
  syn_ack_.assign(datagram.begin(), datagram.end());
  const std::uint8_t number = rssi::parse(datagram)->header.sequence;
  if (data_numbers_.empty()) data_numbers_.resize(1);
  data_numbers_.back() = number;
  next_number_ = static_cast<std::uint8_t>(number + 1);
}

void ControlReplay::on_segment(const rssi::Segment& segment) {
  CHECK_FALSE(segment.has(rssi::kBusy));
  CHECK_FALSE(segment.has(rssi::kNul));  // like the firmware's server, ours sends no NULs
  if (segment.has(rssi::kRst)) ++resets_;
  if (segment.bare() || segment.has(rssi::kRst)) return;
  if (segment.header.sequence != next_number_) {
    CHECK(rssi::ahead(segment.header.sequence, next_number_) < 128);
    return;  // the segment is a retransmission
  }
  data_numbers_.push_back(next_number_++);
  answers_.push(segment.payload);
}

void ControlReplay::check_reaction(const rssi::Segment& given) {
  if (given.has(rssi::kNul)) CHECK(acknowledged_ == given.header.sequence);
  if (given.has(rssi::kRst)) CHECK_FALSE(server_.open());
}

void ControlReplay::check_end() const {
  CHECK(resets_ == (client_reset_ ? 1 : 0));
  CHECK(server_.open() == !client_reset_);
  if (!client_reset_) CHECK(acknowledged_ == static_cast<std::uint8_t>(client_next_ + sequence_shift_ - 1));
  CHECK(server_.status().retransmitted <= captured_.retransmitted());
  check_syn_ack();
}

void ControlReplay::check_syn_ack() const {
  REQUIRE(captured_.syn_ack());
  Bytes expected = *captured_.syn_ack();
  Bytes sent = syn_ack_;
  REQUIRE(sent.size() == expected.size());
  if (expected[2] != kFirmwareFirst) {
    // Rogue's server adopts the client's first sequence number and connection id, and its first acknowledge
    // number is 0. The firmware's server and ours do not behave in this way, so these fields are not
    // compared.
    for (const std::size_t field : {2U, 3U, 18U, 19U, 20U, 21U, 22U, 23U}) sent[field] = expected[field];
  }
  CHECK(sent == expected);
}

}  // namespace softfeb::test
