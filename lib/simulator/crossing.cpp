// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/crossing.hpp"

#include <stdexcept>

namespace softfeb::simulator {

/// Describes a frame. The record is followed by the bytes of the headers and, if the payload is not in the
/// arena, by the bytes of the payload.
struct CrossingCodec::Record {
  std::uint32_t direction = 0;
  std::uint32_t length = 0;
  Time at = 0;
  latency::MessageKey message = 0;
  Place payload;
  std::uint32_t payload_length = 0;
  std::uint32_t destination = 0;
  fabric::FlowKey flow;
  std::uint16_t header_length = 0;
  bool has_flow = false;
  bool late = false;
  bool icrc_right = false;
  std::uint8_t dscp = 0, pcp = 0, facts = 0, cch = 0;
  std::uint8_t trailer_length = 0;
  std::array<std::uint8_t, 8> trailer{};
};

CrossingCodec::Place CrossingCodec::place_of(const std::uint8_t* payload, std::uint32_t length) const {
  for (std::uint32_t b = 0; b < arena_.size(); ++b) {
    const auto begin = reinterpret_cast<std::uintptr_t>(arena_[b].data());
    const auto at = reinterpret_cast<std::uintptr_t>(payload);
    if (at >= begin && at + length <= begin + arena_[b].size()) return {b, at - begin};
  }
  return {};
}

void CrossingCodec::write(const fabric::Network::Departure& departure, std::vector<std::uint8_t>& out) const {
  const auto& frame = static_cast<const PoolFrame&>(*departure.frame);
  Record r;
  r.direction = departure.direction;
  r.late = departure.late;
  r.has_flow = departure.flow.has_value();
  r.flow = departure.flow.value_or(fabric::FlowKey{});
  r.length = frame.length;
  r.at = frame.at;
  r.message = frame.message;
  r.destination = frame.destination;
  r.dscp = frame.dscp;
  r.pcp = frame.pcp;
  r.icrc_right = frame.icrc_right;
  r.facts = frame.facts;
  r.cch = frame.cch;
  r.header_length = frame.header_length;
  r.payload_length = frame.payload_length;
  r.trailer_length = frame.trailer_length;
  r.trailer = frame.trailer;
  if (frame.payload_length != 0) r.payload = place_of(frame.payload, frame.payload_length);
  ArchiveWriter a(out);
  a.item(r);
  a.bytes(frame.header, frame.header_length);
  if (r.payload.block == kNoBlock) a.bytes(frame.payload, frame.payload_length);
}

std::uint32_t CrossingCodec::direction_of_next(ArchiveReader in) {
  Record r;
  in.item(r);
  return r.direction;
}

fabric::Network::Departure CrossingCodec::read(ArchiveReader& in, FramePool& pool) const {
  Record r;
  in.item(r);
  const ByteSpan header = in.view(r.header_length);
  const bool placed = r.payload.block != kNoBlock;
  if (placed && (r.payload.block >= arena_.size() ||
                 r.payload.offset + r.payload_length > arena_[r.payload.block].size()))
    throw std::runtime_error("a frame from another part refers to a payload that this part does not have");
  const ByteSpan payload = placed ? arena_[r.payload.block].subspan(r.payload.offset, r.payload_length)
                                  : in.view(r.payload_length);
  PoolFrame* const frame = pool.restore(header, payload, !placed);
  if (frame == nullptr) throw std::runtime_error(pool.full_text());
  frame->length = r.length;
  frame->at = r.at;
  frame->message = r.message;
  frame->destination = r.destination;
  frame->dscp = r.dscp;
  frame->pcp = r.pcp;
  frame->icrc_right = r.icrc_right;
  frame->facts = r.facts;
  frame->cch = r.cch;
  frame->trailer_length = r.trailer_length;
  frame->trailer = r.trailer;
  return {r.direction, frame, r.late, r.has_flow ? std::optional(r.flow) : std::nullopt, 0};
}

}  // namespace softfeb::simulator
