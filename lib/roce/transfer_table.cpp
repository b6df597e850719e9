// SPDX-License-Identifier: BSD-3-Clause
#include "roce/transfer_table.hpp"

#include "roce/transfer_immediate.hpp"

#include <stdexcept>

namespace softfeb::roce {

namespace {

const TransferLayout& checked_layout(const TransferLayout& l) {
  if (l.sources == 0 || l.slots == 0 || l.slots > TransferLayout::kMostSlots || l.segments == 0 ||
      l.segments > TransferImmediate::kMostSegments)
    throw std::invalid_argument("a table of transfers needs 1 to 2048 slots and 1 to 1024 segments");
  return l;
}

RegistrationConfig with_open_length(RegistrationConfig c) {
  c.open_length = true;
  return c;
}

/// Returns the number nearest to `newest` among all numbers whose low 12 bits are `op`; nullopt if that
/// number would be negative.
std::optional<std::uint64_t> unwrap_op(std::uint32_t op, std::uint64_t newest) {
  constexpr std::uint64_t kOps = TransferImmediate::kOps;
  const std::uint64_t ahead = (op - newest) % kOps;
  if (ahead < kOps / 2) return newest + ahead;
  const std::uint64_t behind = kOps - ahead;
  if (behind > newest) return std::nullopt;
  return newest - behind;
}

}  // namespace

TransferTable::TransferTable(const TransferLayout& layout, const RegistrationConfig& config,
                             RegistrationObserver* observer, std::pmr::memory_resource* memory)
    : layout_(checked_layout(layout)),
      table_(with_open_length(config), observer, memory),
      newest_(layout.sources, 0, memory) {}

std::optional<RegistrationVerdict> TransferTable::message(Time now, std::uint32_t source,
                                                          std::uint32_t immediate, std::uint64_t length) {
  const auto segment = TransferImmediate::decode(immediate);
  const auto op = source < layout_.sources ? unwrap_op(segment.op, newest_[source]) : std::nullopt;
  const std::uint32_t packet = table_.config().packet;
  if (!op || segment.count > layout_.segments || segment.index >= segment.count || length == 0 ||
      length > packet) {
    ++rejected_;
    return std::nullopt;
  }
  RegistrationPacket p;
  p.type = segment.index == 0 ? RegistrationPacket::Type::kFirst : RegistrationPacket::Type::kBody;
  p.source = source;
  p.op = static_cast<std::uint32_t>(*op);
  const std::uint64_t slot = std::uint64_t{source} * layout_.slots + *op % layout_.slots;
  p.address = (slot * layout_.segments + segment.index) * packet;
  p.length = length;
  p.count = segment.count;
  p.bytes = segment.count == 1 ? length : std::uint64_t{segment.count} * packet;
  const RegistrationVerdict verdict = table_.packet(now, p);
  // `newest_` determines how the 12-bit transfer numbers of later messages are extended, so an implausible
  // message must not change it.
  const bool plausible = verdict == RegistrationVerdict::kPlaced || verdict == RegistrationVerdict::kEscaped;
  if (plausible && *op > newest_[source]) newest_[source] = *op;
  return verdict;
}

}  // namespace softfeb::roce
