// SPDX-License-Identifier: BSD-3-Clause
#include "engine/granter.hpp"

#include "engine/receiver.hpp"

#include <map>

namespace softfeb::engine {

namespace {

std::uint32_t count_peers(std::span<const ReceiveQpSetup> qps) {
  std::map<roce::IpAddress, std::uint32_t> peers;
  for (const ReceiveQpSetup& qp : qps) {
    if (qp.grants) peers.try_emplace(qp.reply_path.dest_ip);
  }
  return static_cast<std::uint32_t>(peers.size());
}

}  // namespace

Granter::Granter(const congestion::HomaParameters& parameters, std::span<const ReceiveQpSetup> qps)
    : homa_(parameters, {.messages = static_cast<std::uint32_t>(qps.size()), .peers = count_peers(qps)}),
      queue_(qps.size()) {
  std::map<roce::IpAddress, std::uint32_t> peers;
  for (const ReceiveQpSetup& setup : qps) {
    Qp& qp = qps_.emplace_back();
    qp.served = setup.grants;
    if (!qp.served) continue;
    qp.initial_psn = setup.qp.responder.expected_psn;
    qp.peer =
        peers.try_emplace(setup.reply_path.dest_ip, static_cast<std::uint32_t>(peers.size())).first->second;
  }
}

void Granter::run_timer(Time now) {
  if (homa_.deadline() > now) return;
  for (const auto& r : homa_.timer(now)) {
    hold(r.message, roce::CreditBody::kResend, r.granted, r.priority);
    Qp& qp = qps_[r.message];
    qp.held.first_missing = roce::psn_add(qp.initial_psn, static_cast<std::uint32_t>(qp.first + r.first));
  }
}

void Granter::hold(std::span<const congestion::HomaReceiver::Grant> grants) {
  for (const auto& g : grants) hold(g.message, roce::CreditBody::kGrant, g.granted, g.priority);
}

void Granter::hold(std::uint32_t i, std::uint8_t kind, std::uint32_t granted, std::uint8_t priority) {
  Qp& qp = qps_[i];
  if (qp.held.kind == 0) {
    queue_[(first_ + count_++) % queue_.size()] = i;
    qp.held.kind = kind;
  }
  // A queued RESEND also carries the new grant, so it need not become a GRANT.
  if (kind == roce::CreditBody::kResend) qp.held.kind = kind;
  qp.held.priority = priority;
  qp.held.last_psn = roce::psn_add(qp.initial_psn, static_cast<std::uint32_t>(qp.first + granted - 1));
}

std::optional<Granter::Frame> Granter::next() {
  if (count_ == 0) return std::nullopt;
  const std::uint32_t i = queue_[first_];
  first_ = (first_ + 1) % queue_.size();
  --count_;
  const Frame frame{i, qps_[i].held};
  qps_[i].held = {};
  return frame;
}

}  // namespace softfeb::engine
