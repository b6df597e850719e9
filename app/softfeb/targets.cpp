// SPDX-License-Identifier: BSD-3-Clause
#include "targets.hpp"

#include "config/error.hpp"
#include "stop_signal.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>

namespace softfeb::app {

namespace {

using nlohmann::json;

/// Where the regions of our own receivers begin; anything but 0, so that a forgotten address is seen.
constexpr std::uint64_t kRegionBase = 0x10'0000'0000;

std::uint32_t rkey_of(std::size_t receiver, std::size_t qp) {
  return static_cast<std::uint32_t>(0x5f00'0000 + (receiver << 20) + qp);
}

/// How rdma-sink is told what to expect (doc/rdma-sink.md).
json payload_rule(const config::PayloadConfig& p) {
  switch (p.kind) {
    case config::PayloadConfig::Kind::kCounter:
      return {{"kind", "counter"}};
    case config::PayloadConfig::Kind::kZero:
      return {{"kind", "zero"}};
    case config::PayloadConfig::Kind::kPrbs31:
      return {{"kind", "prbs31"}};
    case config::PayloadConfig::Kind::kFile:
      break;
  }
  return {{"kind", "file"}, {"size", p.file_size}};
}

json immediate_rule(const QpPlan& first) {
  const config::TrafficConfig& t = first.config->traffic;
  if (t.verb != roce::WrOpcode::kWriteImm) return false;
  switch (t.immediate.kind) {
    case config::ImmediateConfig::Kind::kValue:
      return {{"kind", "value"}, {"value", t.immediate.value}};
    case config::ImmediateConfig::Kind::kCounter:
      return {{"kind", "counter"}, {"first", 0}};
    case config::ImmediateConfig::Kind::kChannel:
      break;
  }
  return {{"kind", "channel"}, {"first", first.on_board + 1}};
}

/// A receiver may start beside us; where the link is ours to raise (vhost-user), it cannot even start before.
std::unique_ptr<control::PeerSession> connect_patiently(const std::string& text,
                                                        const control::LocalEndpoint& local,
                                                        const Targets::Say& say) {
  using namespace std::chrono_literals;
  constexpr auto kPatience = 10s;
  const control::PeerUrl url = control::parse_peer_url(text);
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  for (bool told = false;; told = true) {
    try {
      return control::connect(url, local);
    } catch (const control::PeerError& e) {
      if (!e.nobody_there() || stop_signals() != 0 || std::chrono::steady_clock::now() > give_up) throw;
    }
    if (!told) say(fmt::format("{}: nobody there yet; trying for {} s", text, kPatience.count()));
    std::this_thread::sleep_for(200ms);
  }
}

}  // namespace

std::optional<std::uint64_t> messages_of(const config::QpConfig& qp, const board::MessagePlan& plan) {
  std::optional<std::uint64_t> n = qp.traffic.messages;
  if (plan.messages_per_pass() != 0) {
    const std::uint64_t all = plan.messages_per_pass() * qp.traffic.payload.repeat;
    n = std::min(all, n.value_or(all));
  }
  return n;
}

std::uint64_t slots_of(const config::QpConfig& qp, const QpTarget& target) {
  if (target.slots != 0) return target.slots;
  if (qp.traffic.slots != 0) return qp.traffic.slots;
  if (qp.traffic.message_size == 0) return 1;
  return std::max<std::uint64_t>(1, target.length / qp.traffic.message_size);
}

Targets::Targets(const config::RunConfig& config)
    : config_(config), receiver_qps_(config.receivers.size(), 0) {
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    std::uint32_t on_board = 0;
    for (const config::QpConfig& qp : config.boards[b].qps) {
      for (std::uint32_t i = 0; i < qp.count; ++i) {
        QpPlan plan{b, &qp, i, on_board++, qp.qpn + i, {}};
        resolve(plan);
        plans_.push_back(plan);
      }
    }
  }
  // One TCP session for each group of QPs that names a peer.
  std::map<std::pair<std::size_t, const config::QpConfig*>, std::size_t> session_of;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const config::QpConfig& qp = *plans_[i].config;
    const bool peer = std::holds_alternative<config::PerftestTarget>(qp.to) ||
                      std::holds_alternative<config::SinkTarget>(qp.to);
    if (!peer) continue;
    const auto [it, fresh] = session_of.try_emplace({plans_[i].board, &qp}, sessions_.size());
    if (fresh) sessions_.push_back({qp.to_text, nullptr, {}, nullptr, {}});
    sessions_[it->second].plans.push_back(i);
  }
}

void Targets::resolve(QpPlan& plan) {
  const config::QpConfig& qp = *plan.config;
  QpTarget& t = plan.target;
  if (const auto* address = std::get_if<config::AddressTarget>(&qp.to)) {
    t.ip = address->ip;
    t.mac = address->mac;
    t.qpn = address->qpn + plan.number;
    t.rkey = address->rkey;
    t.address = address->address + plan.number * address->length;
    t.length = address->length;
  } else if (const auto* ours = std::get_if<config::ReceiverTarget>(&qp.to)) {
    const std::size_t r = ours->receivers[plan.number % ours->receivers.size()];
    const config::ReceiverConfig& receiver = config_.receivers[r];
    const std::size_t k = receiver_qps_[r]++;
    t.ip = receiver.endpoint.ip;
    t.qpn = receiver.qpn + static_cast<roce::Qpn>(k);
    t.rkey = rkey_of(r, k);
    t.address = kRegionBase + k * receiver.memory;
    t.length = receiver.memory;
    t.receiver = r;
    t.receiver_qp = k;
  }
}

bool Targets::needs_sessions() const { return !sessions_.empty(); }

control::LocalEndpoint Targets::local_side(const Session& session, const Payloads& payloads) const {
  const QpPlan& first = plans_[session.plans.front()];
  const config::QpConfig& qp = *first.config;
  control::LocalEndpoint local;
  local.ip = config_.boards[first.board].endpoint.ip;
  local.transport = qp.transport;
  local.pmtu = qp.pmtu;
  local.message_size = qp.traffic.message_size;
  local.messages = messages_of(qp, payloads.of(qp).plan()).value_or(0);
  local.slots = qp.traffic.slots;
  local.immediate = immediate_rule(first);
  local.payload = payload_rule(qp.traffic.payload);
  for (const std::size_t i : session.plans) local.qps.push_back({plans_[i].qpn, plans_[i].config->psn});
  return local;
}

void Targets::connect(const Payloads& payloads, const Say& say) {
  for (Session& session : sessions_) {
    session.session = connect_patiently(session.url, local_side(session, payloads), say);
    adopt(session);
    const control::RemoteEndpoint& remote = session.session->remote();
    say(fmt::format("{}: {} with {} QP{} at {}, the first {:#x}", session.url, remote.software,
                    remote.qps.size(), remote.qps.size() == 1 ? "" : "s", remote.ip.to_string(),
                    remote.qps.front().qpn));
  }
}

void Targets::adopt(Session& session) {
  const control::RemoteEndpoint& remote = session.session->remote();
  for (std::size_t k = 0; k < session.plans.size(); ++k) {
    QpPlan& plan = plans_[session.plans[k]];
    const control::RemoteQp& qp = remote.qps[k];
    plan.target = {.ip = remote.ip,
                   .mac = remote.mac,
                   .qpn = qp.qpn,
                   .rkey = qp.rkey,
                   .address = qp.address,
                   .length = qp.length,
                   .slots = remote.slots};
    if (qp.length != 0 && qp.length < plan.config->traffic.message_size) {
      throw config::ConfigError(
          {{config_.place(plan.config->traffic.where, "message_size"),
            "messages of " + std::to_string(plan.config->traffic.message_size) + " bytes do not fit the " +
                std::to_string(qp.length) + " bytes that " + session.url + " offers to each QP",
            "a smaller message_size, or a receiver with more memory"}});
    }
  }
}

void Targets::begin() {
  for (Session& session : sessions_) session.session->begin();
}

}  // namespace softfeb::app
