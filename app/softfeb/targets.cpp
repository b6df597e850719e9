// SPDX-License-Identifier: BSD-3-Clause
#include "targets.hpp"

#include "config/error.hpp"
#include "stop_signal.hpp"

#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>

namespace softfeb::app {

namespace {

using nlohmann::json;

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
  constexpr auto kTryFor = 10s;
  const control::PeerUrl url = control::parse_peer_url(text);
  const auto give_up = std::chrono::steady_clock::now() + kTryFor;
  for (bool told = false;; told = true) {
    try {
      return control::connect(url, local);
    } catch (const control::PeerError& e) {
      if (!e.nobody_there() || stop_signals() != 0 || std::chrono::steady_clock::now() > give_up) throw;
    }
    if (!told) say(fmt::format("{}: nobody there yet; trying for {} s", text, kTryFor.count()));
    std::this_thread::sleep_for(200ms);
  }
}

}  // namespace

Targets::Targets(const config::RunConfig& config) : config_(config), plans_(config) {
  // One TCP session for each group of QPs that names a peer.
  std::map<std::pair<std::size_t, const config::QpConfig*>, std::size_t> session_of;
  for (std::size_t i = 0; i < plans().size(); ++i) {
    const QpPlan& plan = plans()[i];
    if (!lab::needs_session(plan)) continue;
    const auto [it, fresh] = session_of.try_emplace({plan.board, plan.config}, sessions_.size());
    if (fresh) sessions_.push_back({plan.config->to_text, nullptr, {}, nullptr, {}});
    sessions_[it->second].plans.push_back(i);
  }
}

bool Targets::needs_sessions() const { return !sessions_.empty(); }

control::LocalEndpoint Targets::local_side(const Session& session, const Payloads& payloads) const {
  const QpPlan& first = plans_.all()[session.plans.front()];
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
  for (const std::size_t i : session.plans) local.qps.push_back({plans()[i].qpn, plans()[i].config->psn});
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
    QpPlan& plan = plans_.all()[session.plans[k]];
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
