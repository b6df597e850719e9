// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/script_packet.hpp"

#include "conformance/frame_draft.hpp"

#include <algorithm>

namespace softfeb::conformance {

namespace {

std::uint32_t payload_size(const PacketSpec& spec, const Symbols& symbols) {
  constexpr std::uint64_t kLongest = 65'000;  // an IP packet has at most 65,535 bytes
  std::uint64_t size = 0;
  if (spec.size && !carries_atomic_header(spec.kind) && spec.kind != PacketKind::kRead) {
    size = spec.size->value(symbols);
  } else if (!spec.size && has_payload_by_default(spec.kind)) {
    size = begins(spec.kind) && ends(spec.kind) ? 8 : symbols.pmtu;
  }
  if (size > kLongest) throw NotationError("'" + spec.text + "': the payload exceeds 65,000 bytes");
  return static_cast<std::uint32_t>(size);
}

/// Returns a payload that is different for each packet, so that the memory shows which packet was written.
std::vector<std::uint8_t> pattern(std::uint32_t packet, std::uint32_t size) {
  std::vector<std::uint8_t> out(size);
  for (std::uint32_t k = 0; k < size; ++k)
    out[k] = static_cast<std::uint8_t>(1 + packet * 37 + k * 11 + (k >> 8) * 7);
  return out;
}

std::uint64_t message_length(const PacketSpec& spec, const Symbols& symbols, std::uint64_t payload) {
  std::uint64_t right = payload;
  if (spec.kind == PacketKind::kRead) right = spec.size ? spec.size->value(symbols) : 8;
  const Override* const given = spec.find(Field::kLength);
  return given == nullptr ? right : given->applied(right, symbols);
}

}  // namespace

Symbols Script::symbols(std::uint64_t repetition, std::uint32_t region) const {
  return {.e = setup_.first_psn, .pmtu = setup_.pmtu, .size = setup_.regions[region].size, .i = repetition};
}

/// Determines the region and the offset to which the packet's payload belongs.
void Script::place(const PacketSpec& spec, const Symbols& symbols, ScriptPacket& out) {
  if (!begins(spec.kind)) {
    if (spec.find(Field::kAt) != nullptr || spec.find(Field::kRegion) != nullptr)
      throw NotationError("'" + spec.text + "': the packet that begins the message says where it goes");
    out.region = message_.region;
    out.offset =
        message_.offset + std::uint64_t{(out.psn - message_.first_psn) & roce::kPsnMask} * setup_.pmtu;
    return;
  }
  const std::uint64_t slot = kMargin + ((out.psn - setup_.first_psn) & roce::kPsnMask) % kSlots * kSlot;
  const Override* const at = spec.find(Field::kAt);
  out.offset = at == nullptr ? slot : at->value.value(symbols);
  if (const Override* const va = spec.find(Field::kVa)) {
    const std::uint64_t base = setup_.regions[out.region].address;
    out.offset = va->applied(base + out.offset, symbols) - base;
  }
  if (spec.kind == PacketKind::kFirst) message_ = {out.psn, out.region, out.offset};
}

ScriptPacket Script::make(const PacketSpec& spec, std::uint64_t repetition) {
  ScriptPacket out;
  out.spec = spec;
  Symbols known = symbols(repetition);
  if (const Override* const region = spec.find(Field::kRegion)) {
    out.region = static_cast<std::uint32_t>(region->value.value(known));
    if (out.region >= setup_.regions.size())
      throw NotationError("'" + spec.text + "': the case has no region " + std::to_string(out.region));
    known = symbols(repetition, out.region);
  }
  out.psn = static_cast<roce::Psn>(spec.psn.value(known) & roce::kPsnMask);
  place(spec, known, out);
  out.payload = pattern(++made_, payload_size(spec, known));
  if (const Override* const fill = spec.find(Field::kFill))
    out.payload.assign(out.payload.size(), static_cast<std::uint8_t>(fill->value.value(known)));
  out.message_length = static_cast<std::uint32_t>(message_length(spec, known, out.payload.size()));
  if (const Override* const imm = spec.find(Field::kImmediate))
    out.immediate = static_cast<std::uint32_t>(imm->applied(0, known));
  if (spec.kind == PacketKind::kRead && out.message_length > setup_.pmtu)
    out.psns = (out.message_length - 1) / setup_.pmtu + 1;
  FrameDraft draft(setup_, out, id_++);
  draft.apply(spec, known);
  out.opcode = draft.opcode();
  out.frames = draft.frames();
  return out;
}

}  // namespace softfeb::conformance
