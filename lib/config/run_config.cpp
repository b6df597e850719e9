// SPDX-License-Identifier: BSD-3-Clause
#include "config/run_config.hpp"

#include "base/uint128.hpp"

#include <algorithm>

namespace softfeb::config {
namespace {

std::uint64_t messages_in_file(const TrafficConfig& traffic) {
  return (traffic.payload.file_size - 1) / traffic.message_size + 1;
}

bool sends_file(const TrafficConfig& traffic) {
  return traffic.payload.kind == board::PayloadKind::kFile && traffic.payload.file_size != 0 &&
         traffic.message_size != 0;
}

}  // namespace

std::uint32_t wire_overhead(const BoardConfig& board, const QpConfig& qp) {
  const EndpointConfig& e = board.endpoint;
  return roce::max_frame_overhead(!e.ip.is_v4(), e.vlan.has_value()) - roce::Reth::kSize -
         roce::ImmDt::kSize + congestion_header_bytes(board, qp) + roce::kWireOverhead;
}

std::uint32_t congestion_header_bytes(const BoardConfig& board, const QpConfig& qp) {
  using roce::CongestionHeader;
  const CongestionConfig& d = qp.congestion ? *qp.congestion : board.congestion;
  if (!board.endpoint.cc_header || d.algorithm != CongestionConfig::Algorithm::kOther) return 0;
  const std::uint8_t profile = d.other.algorithm->header_profile();
  if (profile == CongestionHeader::kDelay) return CongestionHeader::kCommonSize + roce::DelayBody::kSize;
  if (profile == CongestionHeader::kInt) return CongestionHeader::kCommonSize + roce::IntBody::kSize;
  return profile >= CongestionHeader::kFirstUser ? CongestionHeader::kMaxSize : 0;
}

std::optional<std::uint64_t> file_messages(const TrafficConfig& traffic) {
  if (!sends_file(traffic)) return std::nullopt;
  const auto all = static_cast<Uint128>(messages_in_file(traffic)) * traffic.payload.repeat;
  return static_cast<std::uint64_t>(std::min<Uint128>(all, UINT64_MAX - 1));
}

std::uint32_t slots_in(std::uint64_t length, std::uint32_t message_size) {
  if (message_size == 0) return 1;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(length / message_size, 1, UINT32_MAX));
}

namespace {

constexpr std::uint64_t kTransferSlots = 4;

/// Returns the size in bytes of one queue pair's share of the memory for transfers, which `qps` queue pairs
/// share equally.
std::uint64_t memory_of_transfers(const TrafficConfig& traffic, std::uint32_t qps) {
  const TransferConfig& t = *traffic.transfer;
  const std::uint64_t slots = traffic.slots != 0 ? traffic.slots : kTransferSlots;
  const std::uint64_t segments = (slots * t.segments() + qps - 1) / qps;
  return segments * t.segment_bytes();
}

}  // namespace

std::uint64_t memory_needed(const TrafficConfig& traffic, std::uint32_t qps) {
  if (traffic.transfer) return memory_of_transfers(traffic, qps);
  if (traffic.slots != 0) return std::uint64_t{traffic.slots} * traffic.message_size;
  if (sends_file(traffic)) return messages_in_file(traffic) * traffic.message_size;
  return traffic.message_size;
}

std::optional<std::uint64_t> region_length(const RunConfig& config, const QpConfig& qp) {
  if (const auto* address = std::get_if<AddressTarget>(&qp.to)) return address->length;
  const auto* target = std::get_if<ReceiverTarget>(&qp.to);
  if (target == nullptr || target->receivers.empty()) return std::nullopt;
  std::uint64_t length = UINT64_MAX;
  for (const std::size_t r : target->receivers) length = std::min(length, config.receivers[r].memory);
  return length;
}

Where RunConfig::place(const Where& section, const std::string& name) const {
  const std::string key = section.key.empty() ? name : section.key + '.' + name;
  const auto found = places.find(key);
  if (found != places.end()) return found->second;
  return {section.file, section.line, key};
}

}  // namespace softfeb::config
