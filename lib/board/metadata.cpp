// SPDX-License-Identifier: BSD-3-Clause
#include "board/metadata.hpp"

#include <bit>
#include <stdexcept>
#include <string>

namespace softfeb::board {
namespace {

constexpr unsigned kKeyBits = 32;
constexpr unsigned kQpnBits = 24;

// In the simulation model of the board, registers without a reset initially contain alternating ones and
// zeros. A request to free a slot that was never allocated returns this pattern.
constexpr std::uint32_t kUnset = 0xaaaa'aaaa;
constexpr MrFields kUnsetMr{.address = 0xaaaa'aaaa'aaaa'aaaa,
                            .length = kUnset,
                            .access = 0xaa,
                            .pd_handler = kUnset,
                            .lkey_part = 0x5555'5555,
                            .rkey_part = 0x2aaa'aaaa};

unsigned index_bits(std::size_t count) { return static_cast<unsigned>(std::countr_zero(count)); }

/// Returns a value of `width` bits with the slot number in the top bits and `rest` in the bits below.
std::uint32_t with_index(std::size_t index, std::size_t count, std::uint32_t rest, unsigned width) {
  const unsigned rest_bits = width - index_bits(count);
  const std::uint64_t mask = (std::uint64_t{1} << rest_bits) - 1;
  return static_cast<std::uint32_t>(std::uint64_t{index} << rest_bits | (rest & mask));
}

std::size_t index_of(std::uint32_t value, std::size_t count, unsigned width) {
  return static_cast<std::size_t>(std::uint64_t{value} >> (width - index_bits(count)));
}

std::size_t checked(std::size_t count, std::size_t max, const char* what) {
  if (std::has_single_bit(count) && count <= max) return count;
  throw std::invalid_argument("metadata server: " + std::to_string(count) + " " + what +
                              "; use a power of two up to " + std::to_string(max));
}

MrResponse mr_response(bool success, std::size_t slot, std::size_t slots, const MrFields& mr) {
  return {.success = success,
          .mr = mr,
          .lkey = with_index(slot, slots, mr.lkey_part, kKeyBits),
          .rkey = with_index(slot, slots, mr.rkey_part, kKeyBits)};
}

}  // namespace

MetadataServer::MetadataServer(QpObserver* observer, const MetadataLimits& limits)
    : observer_(observer),
      pds_(checked(limits.pds, 256, "PDs"), kUnset),
      mrs_(limits.pds, SlotTable<MrFields>(checked(limits.mrs_per_pd, 256, "MRs for each PD"), kUnsetMr)),
      qp_pd_handlers_(checked(limits.qps, 65536, "QPs"), kUnset),
      qps_(limits.qps) {}

std::optional<MetadataResponseBits> MetadataServer::handle(const MetadataRequestBits& request) {
  const auto decoded = decode_request(request);
  if (!decoded) return std::nullopt;
  return std::visit([this](const auto& r) { return encode_response(handle(r)); }, *decoded);
}

void MetadataServer::reset() {
  pds_.remove_all();
  for (auto& mrs : mrs_) mrs.remove_all();
  qp_pd_handlers_.remove_all();
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const bool existed = qps_[i].context().state != roce::QpState::kReset;
    qps_[i].reset();
    if (existed && observer_ != nullptr) observer_->on_qp_state(i, qps_[i].context());
  }
}

PdResponse MetadataServer::handle(const PdRequest& request) {
  if (request.allocate) {
    const auto slot = pds_.insert(request.key);
    const std::size_t shown = slot.value_or(pds_.size() - 1);
    return {.success = slot.has_value(),
            .handler = with_index(shown, pds_.size(), request.key, kKeyBits),
            .key = request.key};
  }
  const std::size_t slot = pd_index(request.handler);
  const bool freed = pds_.remove(slot);
  const std::uint32_t key = pds_.value(slot);
  return {.success = freed, .handler = with_index(slot, pds_.size(), key, kKeyBits), .key = key};
}

MrResponse MetadataServer::handle(const MrRequest& request) {
  const std::size_t pd = pd_index(request.mr.pd_handler);
  if (!pds_.taken(pd))
    return {.success = false, .mr = request.mr, .lkey = request.lkey, .rkey = request.rkey};
  SlotTable<MrFields>& mrs = mrs_[pd];
  if (!request.allocate) return free_mr(mrs, request);
  const auto slot = mrs.insert(request.mr);
  // If no slot is free, the board puts the highest slot number into the keys.
  return mr_response(slot.has_value(), slot.value_or(mrs.size() - 1), mrs.size(), request.mr);
}

MrResponse MetadataServer::free_mr(SlotTable<MrFields>& mrs, const MrRequest& request) {
  const std::size_t slot = index_of(request.by_lkey ? request.lkey : request.rkey, mrs.size(), kKeyBits);
  const bool freed = mrs.remove(slot);
  return mr_response(freed, slot, mrs.size(), mrs.value(slot));
}

QpResponse MetadataServer::handle(const QpRequest& request) {
  const QpResponse refused{
      .success = false, .qpn = request.qpn, .pd_handler = request.pd_handler, .qp = request.qp};
  if (!pds_.taken(pd_index(request.pd_handler))) return refused;
  if (request.verb == QpVerb::kModify || request.verb == QpVerb::kQuery)
    return control(qp_index(request.qpn), request);

  // CREATE allocates a slot and DESTROY frees one. The QPN is made from the slot number and the PD handler
  // that the slot stores.
  std::size_t slot = qp_index(request.qpn);
  if (request.verb == QpVerb::kCreate) {
    const auto inserted = qp_pd_handlers_.insert(request.pd_handler);
    if (!inserted) return refused;
    slot = *inserted;
  } else if (!qp_pd_handlers_.remove(slot)) {
    return refused;
  }
  QpRequest known = request;
  known.pd_handler = qp_pd_handlers_.value(slot);
  known.qpn = with_index(slot, qps_.size(), known.pd_handler, kQpnBits);
  const QpResponse response = control(slot, known);
  if (request.verb == QpVerb::kCreate && !response.success) {
    qp_pd_handlers_.remove(slot);
    return refused;
  }
  return response;
}

QpResponse MetadataServer::control(std::size_t index, const QpRequest& request) {
  QpControl& qp = qps_[index];
  const roce::QpState before = qp.context().state;
  const QpResponse response = qp.handle(request);
  if (qp.context().state != before && observer_ != nullptr) observer_->on_qp_state(index, qp.context());
  return response;
}

std::size_t MetadataServer::pd_index(std::uint32_t handler) const {
  return index_of(handler, pds_.size(), kKeyBits);
}
std::size_t MetadataServer::qp_index(std::uint32_t qpn) const { return index_of(qpn, qps_.size(), kQpnBits); }

}  // namespace softfeb::board
