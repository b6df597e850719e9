// SPDX-License-Identifier: BSD-3-Clause
#include "model_target.hpp"

#include "roce/icrc.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::test {

namespace {

using M = Mutation;
using conformance::TargetReply;
using conformance::TargetState;

constexpr std::uint64_t kFirstAddress = 0x0000'5555'0000'2000;
/// Distance in bytes from the address of one region to that of the next.
constexpr std::uint64_t kDistance = std::uint64_t{1} << 32;

TargetReply refused() {
  TargetReply out;
  out.error = "the model has no such queue pair, or no such range";
  return out;
}

}  // namespace

ModelTarget::ModelTarget(Mutation mutation)
    : mutation_(mutation),
      v4_(conformance::virtual_addresses().identity, mutation),
      v6_(*conformance::virtual_addresses().v6_identity, mutation) {
  const std::vector<std::uint8_t> guard(conformance::Script::kRegionSize, conformance::kGuard);
  std::uint64_t address = kFirstAddress;
  for (const std::uint32_t rkey : {0x1234'5678U, 0x1234'5700U, 0x1234'5800U, 0x1234'5900U}) {
    regions_.push_back({.address = address, .rkey = rkey, .data = guard});
    address += kDistance;
  }
  regions_[1].writable = regions_[2].own_domain = regions_[3].registered = false;
}

conformance::VirtualTarget ModelTarget::virtual_target() {
  return {.endpoints = {&v4_.station, &v6_.station},
          .answer = [this](const conformance::TargetRequest& r) { return answer(r); },
          .capabilities = {.fresh_qps = true,
                           .memory = true,
                           .receives = true,
                           .states = true,
                           .counters = true,
                           .v6 = true,
                           .reads = true,
                           .atomics = true,
                           .sends = true,
                           .notification_point = true,
                           .active_mtu = 4096,
                           .region_size = conformance::Script::kRegionSize},
          .device = {.name = "model",
                     .driver = {},
                     .firmware = {},
                     .ip = v4_.station.identity().ip,
                     .mac = v4_.station.identity().mac},
          .regions = places(),
          .v6_identity = v6_.station.identity(),
          .tap = [this](ByteSpan frame, Time now) { receive(frame, now); }};
}

std::vector<conformance::RegionPlace> ModelTarget::places() const {
  std::vector<conformance::RegionPlace> out;
  for (const ModelRegion& r : regions_) out.push_back({r.address, r.rkey, r.data.size()});
  return out;
}

ModelQp* ModelTarget::find(roce::Qpn qpn) {
  const auto it = qps_.find(qpn);
  if (it != qps_.end()) return it->second.get();
  return is(M::kUnknownQpAnswered) && !qps_.empty() ? qps_.rbegin()->second.get() : nullptr;
}

void ModelTarget::receive(ByteSpan frame, Time now) {
  for (Port* const port : {&v4_, &v6_}) {
    port->station.take_answers();  // drops the stored packets, because only `reader` is used
    if (const auto packet = port->reader.read(frame)) receive(*port, *packet, now);
  }
}

void ModelTarget::receive(Port& port, const ModelPacket& packet, Time now) {
  ModelQp* const qp = find(packet.bth.dest_qp);
  const bool known = qp != nullptr && (qp->peer() == packet.source_ip || is(M::kSourceIpIgnored) ||
                                       is(M::kSourceIpNotCovered));
  std::vector<ModelReply> replies;
  if (!packet.icrc_right) {
    if (!is(M::kIcrcErrorsNotCounted)) ++icrc_errors_;
    if (!known || !packet.ce() || !is(M::kCnpForWrongIcrc)) return;
    qp->notify(packet, now, replies);
  } else if (qp != nullptr && !known && packet.ce() && is(M::kCnpForForeignAddress)) {
    qp->notify(packet, now, replies);
  } else if (known) {
    const unsigned pkey = packet.bth.pkey;
    if (packet.bth.tver != 0 && !is(M::kTverIgnored)) return;
    if ((pkey & 0x7fff) != 0x7fff && !is(M::kPkeyIgnored)) return;
    if (pkey == 0x7fff && is(M::kLimitedMemberRefused)) return;
    qp->receive(packet, now, replies);
    // Queue pairs are numbered in the order in which they are opened.
    const auto next = qps_.find(qp->qpn() + 1);
    if (is(M::kErrorSpreads) && qp->state() == TargetState::kError && next != qps_.end())
      next->second->set_error();
  }
  if (replies.empty()) return;
  const auto resolved = port.station.host().neighbours().find(qp->peer(), now);
  const roce::MacAddress mac =
      is(M::kAckToSourceMac) ? packet.source_mac : resolved.value_or(packet.source_mac);
  for (const ModelReply& reply : replies) {
    port.station.send(
        model_frame(reply, port.station.identity(), mac, qp->peer(), qp->requester_qp(), mutation_));
  }
}

TargetReply ModelTarget::answer(const conformance::TargetRequest& request) {
  return std::visit([this](const auto& r) { return on(r); }, request);
}

TargetReply ModelTarget::on(const conformance::OpenRequest& r) {
  TargetReply out;
  out.qp = next_qpn_++;
  qps_.emplace(out.qp, std::make_unique<ModelQp>(r, out.qp, regions_, completions_, mutation_));
  return out;
}

TargetReply ModelTarget::on(const conformance::CloseRequest& r) {
  if (qps_.count(r.qp) == 0) return refused();
  if (!is(M::kDestroyedAnswers)) qps_.erase(r.qp);
  return {};
}

TargetReply ModelTarget::on(const conformance::ModifyRequest& r) {
  if (qps_.count(r.qp) == 0) return refused();
  qps_[r.qp]->modify(r.state);
  return {};
}

TargetReply ModelTarget::on(const conformance::StateRequest& r) {
  if (qps_.count(r.qp) == 0) return refused();
  TargetReply out;
  out.state = qps_[r.qp]->state();
  qps_[r.qp]->write_late();
  return out;
}

TargetReply ModelTarget::on(const conformance::ReceiveRequest& r) {
  if (qps_.count(r.qp) == 0) return refused();
  qps_[r.qp]->post_receives(r.count);
  return {};
}

TargetReply ModelTarget::on(const conformance::FillRequest& /*r*/) {
  for (ModelRegion& region : regions_) {
    if (region.written_from < region.written_to)
      std::fill_n(region.data.begin() + static_cast<std::ptrdiff_t>(region.written_from),
                  region.written_to - region.written_from, conformance::kGuard);
    region.written_from = SIZE_MAX;
    region.written_to = 0;
  }
  return {};
}

TargetReply ModelTarget::on(const conformance::ReadRequest& r) {
  if (r.region >= regions_.size()) return refused();
  const auto& data = regions_[r.region].data;
  if (r.offset > data.size() || r.length > data.size() - r.offset) return refused();
  const auto from = data.begin() + static_cast<std::ptrdiff_t>(r.offset);
  TargetReply out;
  out.bytes.assign(from, from + static_cast<std::ptrdiff_t>(r.length));
  return out;
}

TargetReply ModelTarget::on(const conformance::CrcRequest& r) {
  const TargetReply bytes = on(conformance::ReadRequest{r.region, r.offset, r.length});
  if (bytes.error) return bytes;
  TargetReply out;
  out.crc = roce::crc32(0, ByteSpan(bytes.bytes));
  return out;
}

TargetReply ModelTarget::on(const conformance::CompletionsRequest& /*r*/) {
  TargetReply out;
  out.completions = std::exchange(completions_, {});
  return out;
}

TargetReply ModelTarget::on(const conformance::CountersRequest& /*r*/) {
  TargetReply out;
  out.counters["icrc_errors"] = icrc_errors_;
  return out;
}

TargetReply ModelTarget::on(const conformance::EventRequest& r) {
  if (qps_.count(r.qp) == 0) return refused();
  TargetReply out;
  out.event = qps_[r.qp]->event();
  return out;
}

}  // namespace softfeb::test
