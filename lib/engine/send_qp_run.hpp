// SPDX-License-Identifier: BSD-3-Clause
// Fast path of SendQp: builds a packet of a run. Everything is inlined into one function, except for calls to
// the payload source, the header template and congestion control.
#pragma once

#include "engine/send_qp.hpp"
#include "roce/icrc.hpp"

namespace softfeb::engine {

[[gnu::always_inline]] inline bool SendQp::craft_of_run(Time now, std::uint16_t identification, TxFrame& out,
                                                        Time& next) {
  const roce::Requester::PlainPacket p = requester_.next_of_run();
  const std::uint32_t length = middle_.payload_length();
  const roce::PacketPayload payload = payload_at(p.payload_offset, length);
  if (payload.bytes == nullptr) {
    requester_.payload_error(now);
    return false;
  }
  const std::uint32_t crc = payload.crc ? *payload.crc : roce::crc32(0, ByteSpan(payload.bytes, length));
  const roce::Crafted c = middle_.craft(headers_, p.psn, identification, crc, out.header, out.trailer.data());
  out.payload = payload.bytes;
  out.payload_length = length;
  out.header_length = c.header_length;
  out.trailer_length = c.trailer_length;
  out.transient_payload = false;
  out.icrc_right = true;
  out.message = 0;
  const std::uint32_t counted = middle_.transport_bytes();
  counted_bytes_ += counted;
  if (flags_.tracked) {
    report_sent(true, false, counted, now);
    if (flags_.has_cch) add_congestion_header(out, now);
  }
  pace(length, now);
  if (!requester_.in_run()) {
    next = tell_sent(counted, now);
    return true;
  }
  next = flags_.packets_paced ? pacer_->departure() : 0;
  if (congestion_ == nullptr) return true;
  if (next > now) {
    congestion_->sent(counted, now);
  } else {
    next = std::max(next, congestion_->sent_then_departure(counted, counted, now));
  }
  return true;
}

}  // namespace softfeb::engine
