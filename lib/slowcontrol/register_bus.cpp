// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/register_bus.hpp"

#include <utility>

namespace softfeb::slowcontrol {

RegisterBus::RegisterBus(Deps deps) : deps_(std::move(deps)) {
  request_.board = deps_.board;
  responder_request_.receiver = deps_.receiver;
  for (const std::size_t qp : deps_.registers->live_qps()) request_.state.qps.push_back({.qp = qp});
}

void RegisterBus::read(std::uint32_t address, MutableByteSpan out, Time now, Done done) {
  transaction_ = {false, address, out, {}, std::move(done)};
  if (deps_.registers->needs_live_for_read(address, out.size())) return ask(Phase::kObserve);
  perform(now);
}

void RegisterBus::write(std::uint32_t address, ByteSpan data, Time now, Done done) {
  transaction_ = {true, address, {}, data, std::move(done)};
  if (deps_.registers->needs_live_for_write(address, data.size())) return ask(Phase::kObserve);
  perform(now);
}

engine::Board* RegisterBus::board_at(std::uint32_t address) const {
  const std::size_t port = deps_.registers->port_at(address);
  return port < deps_.ports.size() ? deps_.ports[port] : deps_.board;
}

void RegisterBus::ask(Phase phase) {
  phase_ = phase;
  if (phase == Phase::kRespond) {
    responder_request_.done.store(false, std::memory_order_relaxed);
  } else {
    request_.board = board_at(transaction_.address);
    request_.actions.clear();
    if (phase == Phase::kApply) request_.actions.swap(actions_.data_path);
    request_.done.store(false, std::memory_order_relaxed);
  }
  handed_over_ = false;
  hand_over();
  deps_.waiting(*this);
}

/// Passes the pending request to its worker. Returns false if the worker's ring is full; poll() then tries
/// again.
bool RegisterBus::hand_over() {
  if (handed_over_) return true;
  if (phase_ == Phase::kRespond) {
    handed_over_ = deps_.to_receiver(responder_request_);
  } else {
    handed_over_ = deps_.to_board(request_);
  }
  return handed_over_;
}

bool RegisterBus::answered() {
  const std::atomic<bool>& done = phase_ == Phase::kRespond ? responder_request_.done : request_.done;
  return hand_over() && done.load(std::memory_order_acquire);
}

bool RegisterBus::poll(Time now) {
  if (!answered()) return false;
  switch (std::exchange(phase_, Phase::kIdle)) {
    case Phase::kObserve:
      take_state();
      perform(now);
      break;
    case Phase::kRespond:
      ask(Phase::kApply);
      break;
    case Phase::kApply:
      take_state();
      finish(result_, now);
      break;
    case Phase::kIdle:
      break;
  }
  return true;
}

void RegisterBus::take_state() {
  std::swap(live_.data, request_.state);
  request_.state.qps = live_.data.qps;
}

void RegisterBus::prepare_responder() {
  responder_request_.actions.clear();
  if (deps_.responder == nullptr) return;
  for (const board::DataPathAction& action : actions_.data_path) {
    for (engine::ReceiverAction& a : deps_.responder->before(action, live_.data))
      responder_request_.actions.push_back(std::move(a));
  }
}

void RegisterBus::perform(Time now) {
  deps_.observe(live_, now);
  if (!transaction_.write)
    return finish(deps_.registers->read(transaction_.address, transaction_.out, live_, now), now);
  actions_.clear();
  result_ = deps_.registers->write(transaction_.address, transaction_.data, live_, now, actions_);
  for (const board::SetRssi& action : actions_.links) deps_.set_link(action, now);
  if (actions_.data_path.empty()) return finish(result_, now);
  for (const board::DataPathAction& action : actions_.data_path) deps_.inspect(action);
  prepare_responder();
  ask(responder_request_.actions.empty() ? Phase::kApply : Phase::kRespond);
}

void RegisterBus::finish(const board::AccessResult& result, Time now) {
  const bool write = transaction_.write;
  const Done done = std::move(transaction_.done);
  srp::BusResult answer;
  answer.words = result.words;
  if (result.status == board::AccessStatus::kDecodeError) answer.status = srp::BusStatus::kDecodeError;
  done(answer, now);
  if (write) deps_.written(now);
}

}  // namespace softfeb::slowcontrol
