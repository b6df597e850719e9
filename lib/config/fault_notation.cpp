// SPDX-License-Identifier: BSD-3-Clause
#include "config/fault_notation.hpp"

#include "config/error.hpp"
#include "config/run_config.hpp"
#include "config/units.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace softfeb::config {
namespace {

using faults::CorruptTarget;

constexpr std::uint64_t kMostPosition = std::uint64_t{1} << 48;
constexpr std::uint32_t kMostOffset = 16'383;

const std::vector<std::pair<std::string, CorruptTarget>>& places() {
  static const std::vector<std::pair<std::string, CorruptTarget>> all = {
      {"icrc", CorruptTarget::kIcrc},
      {"payload", CorruptTarget::kPayload},
      {"pad", CorruptTarget::kPad},
      {"byte", CorruptTarget::kByte},
      {"bth.opcode", CorruptTarget::kBthOpcode},
      {"bth.psn", CorruptTarget::kBthPsn},
      {"bth.dest_qp", CorruptTarget::kBthDestQp},
      {"bth.pkey", CorruptTarget::kBthPkey},
      {"bth.byte4", CorruptTarget::kBthByte4},
      {"reth.va", CorruptTarget::kRethVa},
      {"reth.rkey", CorruptTarget::kRethRkey},
      {"reth.length", CorruptTarget::kRethLength},
      {"immediate", CorruptTarget::kImmediate},
      {"ip.id", CorruptTarget::kIpId},
      {"ip.checksum", CorruptTarget::kIpChecksum},
      {"udp.sport", CorruptTarget::kUdpSport}};
  return all;
}

bool has_offset(CorruptTarget target) {
  return target == CorruptTarget::kPayload || target == CorruptTarget::kByte;
}

/// Splits FIRST..LAST. If `text` is not a range, returns `text` as both ends.
std::pair<std::string, std::string> ends_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {text, text};
  return {text.substr(0, dots), text.substr(dots + 2)};
}

}  // namespace

bool FaultQpRef::selects(const BoardConfig& owner, std::uint32_t on_board, std::uint32_t own_qpn) const {
  switch (kind) {
    case Kind::kAny:
      return true;
    case Kind::kIndex:
      return on_board == index && (board.empty() || board == owner.endpoint.name);
    case Kind::kQpn:
      return own_qpn == qpn;
  }
  return false;
}

Parsed<FaultQpRef> parse_fault_qp(const std::string& text) {
  FaultQpRef qp;
  if (text == "any") return qp;
  qp.kind = FaultQpRef::Kind::kIndex;
  const std::size_t slash = text.rfind('/');
  if (slash != std::string::npos) qp.board = text.substr(0, slash);
  const auto index = parse_integer(slash == std::string::npos ? text : text.substr(slash + 1), 0, kMaxQpn);
  if (!index.value || (slash != std::string::npos && qp.board.empty()))
    return {'"' + text + "\" names no queue pair", "write an index such as 0, BOARD/INDEX, or any"};
  qp.index = static_cast<std::uint32_t>(*index.value);
  return qp;
}

Parsed<faults::PsnRange> parse_psns(const std::string& text) {
  const std::string fix =
      "write a PSN from 0 to 0xffffff, +N to count from the first PSN of the queue pair, or a range such as "
      "+4..+9 or 0xfffff0..0x10";
  auto [first, last] = ends_of(text);
  faults::PsnRange range;
  range.relative = first.starts_with('+');
  if (last.starts_with('+') != range.relative)
    return {'"' + text + "\" mixes a relative and an absolute PSN", fix};
  if (range.relative) {
    first.erase(0, 1);
    last.erase(0, 1);
  }
  const auto from = parse_integer(first, 0, roce::kPsnMask);
  const auto to = parse_integer(last, 0, roce::kPsnMask);
  if (!from.value || !to.value) return {'"' + text + "\" is not a PSN of 24 bits", fix};
  range.first = static_cast<roce::Psn>(*from.value);
  range.last = static_cast<roce::Psn>(*to.value);
  return range;
}

Parsed<faults::PositionRange> parse_positions(const std::string& text) {
  const auto [first, last] = ends_of(text);
  const auto from = parse_integer(first, 0, kMostPosition);
  const auto to = parse_integer(last, 0, kMostPosition);
  if (!from.value || !to.value || *to.value < *from.value)
    return {'"' + text + "\" is not a range of packets", "write for example 100 or 100..163, counted from 0"};
  return faults::PositionRange{*from.value, *to.value};
}

Parsed<CorruptPlace> parse_corrupt_place(const std::string& text) {
  const std::size_t plus = text.find('+');
  const std::string name = text.substr(0, plus);
  std::vector<std::string> names;
  std::string all;
  for (const auto& [known, target] : places()) {
    const std::string form = has_offset(target) ? known + "+N" : known;
    all += (all.empty() ? "" : ", ") + form;
    names.push_back(known);
    if (known != name) continue;
    if (has_offset(target) != (plus != std::string::npos))
      return {'"' + text + "\" is not a place in a packet", "write " + form};
    CorruptPlace place{target, 0};
    if (plus == std::string::npos) return place;
    const auto offset = parse_integer(text.substr(plus + 1), 0, kMostOffset);
    if (!offset.value) return offset.failure<CorruptPlace>();
    place.offset = static_cast<std::uint32_t>(*offset.value);
    return place;
  }
  const std::string* const near = nearest(name, names);
  return {'"' + text + "\" is not a place in a packet",
          (near != nullptr ? "did you mean " + *near + "? Otherwise write" : "write") + (" one of " + all)};
}

std::string format_fault_qp(const FaultQpRef& qp) {
  if (qp.kind == FaultQpRef::Kind::kAny) return "any";
  return (qp.board.empty() ? "" : qp.board + '/') + std::to_string(qp.index);
}

std::string format_psns(const faults::PsnRange& psns) {
  const std::string plus = psns.relative ? "+" : "";
  const std::string first = plus + std::to_string(psns.first);
  return psns.first == psns.last ? first : first + ".." + plus + std::to_string(psns.last);
}

std::string format_positions(const faults::PositionRange& positions) {
  const std::string first = std::to_string(positions.first);
  return positions.first == positions.last ? first : first + ".." + std::to_string(positions.last);
}

std::string format_corrupt_place(const CorruptPlace& place) {
  for (const auto& [name, target] : places()) {
    if (target == place.target) return has_offset(target) ? name + '+' + std::to_string(place.offset) : name;
  }
  return {};
}

}  // namespace softfeb::config
