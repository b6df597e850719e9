// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/own_target.hpp"

#include "roce/icrc.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::conformance {

namespace {

constexpr std::uint64_t kAddress = 0x7f00'0000'1000;
constexpr std::uint32_t kRkey = 0x5eb1;
/// Keys of the read-only region, the region of another protection domain, and the deregistered region. The
/// receiver does not know these keys, so it treats them as wrong.
constexpr std::uint32_t kReadOnlyRkey = 0x5eb2, kOtherDomainRkey = 0x5eb3, kDeregisteredRkey = 0x5eb4;

TargetReply refusal(const std::string& why) {
  TargetReply reply;
  reply.error = why;
  return reply;
}

}  // namespace

OwnTarget::OwnTarget(const OwnTargetConfig& config) : config_(config), memory_(Script::kRegionSize, kGuard) {
  add_endpoint(config.identity, config.requesters);
  if (config.v6_identity && config.v6_requester) add_endpoint(*config.v6_identity, {*config.v6_requester});
}

void OwnTarget::add_endpoint(const engine::Identity& identity,
                             const std::vector<roce::IpAddress>& requesters) {
  engine::ReceiverConfig c{.identity = identity, .notification = config_.notification};
  auto observer = std::make_unique<Observer>(*this, receivers_.size());
  c.message_observer = observer.get();
  for (const roce::IpAddress& ip : requesters) {
    engine::ReceiveSlotSetup slot;
    slot.reply_path = {.source_mac = identity.mac, .source_ip = identity.ip, .dest_ip = ip};
    c.slots.insert(c.slots.end(), config_.slots, slot);
  }
  receivers_.push_back({.observer = std::move(observer),
                        .receiver = std::make_unique<engine::Receiver>(c),
                        .requesters = requesters,
                        .qp_of_slot = std::vector<roce::Qpn>(c.slots.size(), 0)});
}

Capabilities OwnTarget::capabilities() const {
  return {.fresh_qps = true,
          .memory = true,
          .receives = true,
          .states = true,
          .counters = true,
          .v6 = receivers_.size() > 1,
          .two_ips = config_.requesters.size() > 1,
          .notification_point = true,
          .line_rate = true,
          .active_mtu = 4096,
          .region_size = memory_.size()};
}

TargetDevice OwnTarget::device() const {
  return {.name = "softfeb", .driver = "softfeb", .ip = config_.identity.ip, .mac = config_.identity.mac};
}

std::vector<RegionPlace> OwnTarget::regions() const {
  const std::uint64_t size = memory_.size();
  return {{kAddress, kRkey, size},
          {kAddress + 2 * size, kReadOnlyRkey, size},
          {kAddress + 4 * size, kOtherDomainRkey, size},
          {kAddress + 6 * size, kDeregisteredRkey, size}};
}

TargetReply OwnTarget::answer(const TargetRequest& request) {
  return std::visit([this](const auto& r) { return on(r); }, request);
}

const roce::Responder& OwnTarget::responder(const Qp& qp) const {
  return std::as_const(*receivers_[qp.endpoint].receiver).qp(qp.slot).responder();
}

void OwnTarget::Observer::message(std::size_t slot, const roce::MessageEvent& message, Time /*now*/) {
  const roce::Qpn qpn = target_.receivers_[endpoint_].qp_of_slot[slot];
  const auto it = target_.qps_.find(qpn);
  if (!message.has_immediate || it == target_.qps_.end()) return;
  target_.completions_.push_back({.qp = qpn,
                                  .success = true,
                                  .status = "success",
                                  .length = message.length,
                                  .immediate = message.immediate});
  it->second.event = it->second.event || message.solicited;
}

void OwnTarget::create(const Qp& qp) {
  engine::Receiver& receiver = *receivers_[qp.endpoint].receiver;
  receiver.apply(engine::SetReceiveQp{.slot = qp.slot, .responder = qp.responder});
  std::vector<roce::MemoryRegion> regions;
  if (qp.spec.remote_write)
    regions.push_back({.address = kAddress, .length = memory_.size(), .rkey = kRkey, .data = memory_.data()});
  receiver.apply(engine::SetReceiveRegions{.slot = qp.slot, .regions = regions});
}

TargetReply OwnTarget::on(const OpenRequest& r) {
  for (std::size_t e = 0; e < receivers_.size(); ++e) {
    Endpoint& endpoint = receivers_[e];
    const auto peer = std::find(endpoint.requesters.begin(), endpoint.requesters.end(), r.requester_ip);
    if (peer == endpoint.requesters.end()) continue;
    const auto first = static_cast<std::size_t>(peer - endpoint.requesters.begin()) * config_.slots;
    std::size_t slot = first;
    while (slot < first + config_.slots && endpoint.qp_of_slot[slot] != 0) ++slot;
    if (slot == first + config_.slots) return refusal("too many queue pairs are open");
    const roce::Qpn qpn = next_qpn_++;
    Qp qp{.endpoint = e, .slot = slot, .spec = r.spec, .state = r.spec.state};
    qp.responder = {.transport = r.spec.transport,
                    .qpn = qpn,
                    .dest_qpn = r.requester_qp,
                    .pmtu = r.spec.pmtu,
                    .expected_psn = r.psn,
                    .rnr_timer = r.spec.rnr_timer,
                    .receives = r.spec.receives};
    if (r.spec.state != TargetState::kInit) create(qp);
    endpoint.qp_of_slot[slot] = qpn;
    qps_.emplace(qpn, qp);
    TargetReply reply;
    reply.qp = qpn;
    return reply;
  }
  return refusal("the receiver does not know the requester " + r.requester_ip.to_string());
}

TargetReply OwnTarget::on(const CloseRequest& r) {
  const auto it = qps_.find(r.qp);
  if (it == qps_.end()) return refusal("there is no such queue pair");
  Endpoint& endpoint = receivers_[it->second.endpoint];
  endpoint.receiver->apply(engine::RemoveReceiveQp{it->second.slot});
  endpoint.qp_of_slot[it->second.slot] = 0;
  qps_.erase(it);
  return {};
}

TargetReply OwnTarget::on(const ModifyRequest& r) {
  const auto it = qps_.find(r.qp);
  if (it == qps_.end()) return refusal("there is no such queue pair");
  Qp& qp = it->second;
  if (qp.state == TargetState::kInit && r.state != TargetState::kInit) create(qp);
  if (r.state == TargetState::kError) receivers_[qp.endpoint].receiver->qp(qp.slot).responder().set_error();
  qp.state = r.state;
  return {};
}

TargetReply OwnTarget::on(const StateRequest& r) {
  const auto it = qps_.find(r.qp);
  if (it == qps_.end()) return refusal("there is no such queue pair");
  const Qp& qp = it->second;
  TargetReply reply;
  const bool error = qp.state != TargetState::kInit && responder(qp).state() == roce::QpState::kErr;
  reply.state = error ? TargetState::kError : qp.state;
  return reply;
}

TargetReply OwnTarget::on(const ReceiveRequest& r) {
  const auto it = qps_.find(r.qp);
  if (it == qps_.end()) return refusal("there is no such queue pair");
  receivers_[it->second.endpoint].receiver->qp(it->second.slot).post_receives(r.count);
  return {};
}

TargetReply OwnTarget::on(const FillRequest& /*r*/) {
  std::fill(memory_.begin(), memory_.end(), kGuard);
  return {};
}

TargetReply OwnTarget::on(const ReadRequest& r) {
  if (r.region != 0 || r.offset > memory_.size() || r.length > memory_.size() - r.offset)
    return refusal("the range is outside of the region");
  TargetReply reply;
  const auto from = memory_.begin() + static_cast<std::ptrdiff_t>(r.offset);
  reply.bytes.assign(from, from + static_cast<std::ptrdiff_t>(r.length));
  return reply;
}

TargetReply OwnTarget::on(const CrcRequest& r) {
  if (r.region != 0 || r.offset > memory_.size() || r.length > memory_.size() - r.offset)
    return refusal("the range is outside of the region");
  TargetReply reply;
  reply.crc = roce::crc32(0, ByteSpan(memory_).subspan(r.offset, r.length));
  return reply;
}

/// Reports the remaining receives of a queue pair that is in the error state: they complete with errors (IBA
/// 10.3.1).
void OwnTarget::flush(roce::Qpn qpn, Qp& qp) {
  if (qp.flushed || qp.state == TargetState::kInit || responder(qp).state() != roce::QpState::kErr) return;
  qp.flushed = true;
  for (std::uint64_t k = responder(qp).receives(); k != 0; --k)
    completions_.push_back({.qp = qpn, .success = false, .status = "flushed"});
}

TargetReply OwnTarget::on(const CompletionsRequest& /*r*/) {
  for (auto& [qpn, qp] : qps_) flush(qpn, qp);
  TargetReply reply;
  reply.completions = std::exchange(completions_, {});
  return reply;
}

TargetReply OwnTarget::on(const CountersRequest& /*r*/) {
  TargetReply reply;
  for (const Endpoint& endpoint : receivers_) {
    const engine::Receiver& receiver = *endpoint.receiver;
    auto& c = reply.counters;
    c["icrc_errors"] += receiver.counters().rx_icrc_errors;
    c["cnps_sent"] += receiver.receiver_counters().cnp_tx;
    for (std::size_t i = 0; i < receiver.qp_count(); ++i) {
      const roce::ResponderCounters qp = receiver.responder_counters(i);
      c["duplicate_requests"] += qp.duplicate;
      c["out_of_sequence"] += qp.out_of_order;
      c["rnr_naks_sent"] += qp.rnr_tx;
      c["ce_marked"] += receiver.qp(i).congestion_experienced();
    }
  }
  return reply;
}

TargetReply OwnTarget::on(const EventRequest& r) {
  const auto it = qps_.find(r.qp);
  if (it == qps_.end()) return refusal("there is no such queue pair");
  TargetReply reply;
  reply.event = it->second.event;
  return reply;
}

}  // namespace softfeb::conformance
