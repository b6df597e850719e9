// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/targets.hpp"

#include "config/error.hpp"
#include "endpoints/sink_events.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>

namespace softfeb::endpoints {

namespace {

using nlohmann::json;

/// Returns the rule by which rdma-sink checks the payload (doc/rdma-sink.md).
json payload_rule(const config::PayloadConfig& p) {
  switch (p.kind) {
    case board::PayloadKind::kCounter:
      return {{"kind", "counter"}};
    case board::PayloadKind::kZero:
      return {{"kind", "zero"}};
    case board::PayloadKind::kPrbs31:
      return {{"kind", "prbs31"}};
    case board::PayloadKind::kFile:
      break;
  }
  return {{"kind", "file"}, {"size", p.file_size}};
}

json immediate_rule(const QpPlan& first) {
  const config::TrafficConfig& t = first.config->traffic;
  if (t.verb != roce::WrOpcode::kWriteImm) return false;
  if (t.transfer) return {{"kind", "transfer"}, {"segments", t.transfer->segments()}};
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

/// Retries until the receiver responds or `limit_s` seconds have passed, and reports progress every few
/// seconds.
std::unique_ptr<peers::PeerSession> connect_patiently(const std::string& text,
                                                      const peers::LocalEndpoint& local, double limit_s,
                                                      const Targets::Say& say,
                                                      const std::function<std::string()>& port_state,
                                                      const Targets::Stopped& stopped) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  constexpr auto kTellEvery = 5s;
  const peers::PeerUrl url = peers::parse_peer_url(text);
  const auto began = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  auto tell_at = began;
  for (;;) {
    try {
      return peers::connect(url, local);
    } catch (const peers::PeerError& e) {
      if (!e.nobody_there() || stopped()) throw;
      if (passed() >= limit_s) {
        throw peers::PeerError(e.fault(),
                               fmt::format("{}\n  gave up after {:.0f} s (run.connect_timeout); {}", e.what(),
                                           passed(), port_state()),
                               true);
      }
    }
    if (Clock::now() >= tell_at) {
      say(fmt::format("{}: receiver does not respond yet; {}; retrying for {:.0f} s", text, port_state(),
                      std::max(0.0, limit_s - passed())));
      tell_at += kTellEvery;
    }
    std::this_thread::sleep_for(200ms);
  }
}

}  // namespace

Targets::Targets(const config::RunConfig& config) : config_(config), plans_(config) {
  // There is one TCP session for each group of QPs that names a peer. However, all boards share the session
  // of an event builder.
  std::map<std::pair<std::size_t, const config::QpConfig*>, std::size_t> session_of;
  std::map<config::SinkTarget, std::size_t> session_of_builder;
  for (std::size_t i = 0; i < plans().size(); ++i) {
    const QpPlan& plan = plans()[i];
    if (!endpoints::needs_session(plan)) continue;
    const auto& events = config.boards[plan.board].events;
    const std::size_t next = sessions_.size();
    const std::size_t s =
        events ? session_of_builder.try_emplace(std::get<config::SinkTarget>(plan.config->to), next)
                     .first->second
               : session_of.try_emplace({plan.board, plan.config}, next).first->second;
    if (s == next) sessions_.emplace_back().url = plan.config->to_text;
    sessions_[s].plans.push_back(i);
    if (events) sessions_[s].events = builder_layout_of(config, plan);
  }
}

bool Targets::needs_sessions() const { return !sessions_.empty(); }

peers::LocalEndpoint Targets::local_side(const Session& session, const Payloads& payloads) const {
  const QpPlan& first = plans_.all()[session.plans.front()];
  const config::QpConfig& qp = *first.config;
  peers::LocalEndpoint local;
  local.ip = config_.boards[first.board].endpoint.ip;
  local.transport = qp.transport;
  local.pmtu = qp.pmtu;
  local.message_size = qp.traffic.message_size;
  local.messages = messages_of(qp, payloads.of(qp).plan()).value_or(0);
  local.slots = qp.traffic.slots;
  local.immediate = immediate_rule(first);
  // rdma-sink does not check the bytes of transfers.
  if (!qp.traffic.transfer) local.payload = payload_rule(qp.traffic.payload);
  for (const std::size_t i : session.plans) {
    const QpPlan& plan = plans()[i];
    local.qps.push_back({plan.qpn, plan.config->psn, config_.boards[plan.board].endpoint.ip});
  }
  if (session.events) describe_events(*session.events, local);
  return local;
}

void Targets::connect(const Payloads& payloads, const Say& say, const PortState& port_state,
                      const Stopped& stopped) {
  for (Session& session : sessions_) {
    const QpPlan& first = plans()[session.plans.front()];
    const std::size_t port = config_.boards[first.board].endpoint.port;
    try {
      session.session = connect_patiently(
          session.url, local_side(session, payloads), to_seconds(config_.run.connect_timeout), say,
          [&] { return port_state(port); }, stopped);
    } catch (const peers::PeerError& e) {
      if (!session.events) throw;
      rethrow_at(first.config->to_where, e);
    }
    adopt(session);
    const peers::RemoteEndpoint& remote = session.session->remote();
    say(fmt::format("{}: {} with {} QP{} at {}, first QPN {:#x}", session.url, remote.software,
                    remote.qps.size(), remote.qps.size() == 1 ? "" : "s", remote.ip.to_string(),
                    remote.qps.front().qpn));
  }
}

void Targets::adopt(Session& session) {
  const peers::RemoteEndpoint& remote = session.session->remote();
  if (session.events)
    check_builder(plans()[session.plans.front()].config->to_where, session.url, *session.events, remote);
  for (std::size_t k = 0; k < session.plans.size(); ++k) {
    QpPlan& plan = plans_.all()[session.plans[k]];
    const peers::RemoteQp& qp = remote.qps[k];
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
            "use a smaller message_size, or a receiver with more memory"}});
    }
  }
}

void Targets::begin() {
  for (Session& session : sessions_) session.session->begin();
}

}  // namespace softfeb::endpoints
