// SPDX-License-Identifier: BSD-3-Clause
#include "slowcontrol/register_bus.hpp"

#include <utility>

namespace softfeb::slowcontrol {

RegisterBus::RegisterBus(Parts parts) : parts_(std::move(parts)) {
  request_.endpoint = parts_.place;
  responder_request_.endpoint = parts_.responder_place;
  for (const std::size_t qp : parts_.registers->live_qps()) request_.state.qps.push_back({.qp = qp});
}

void RegisterBus::read(std::uint32_t address, MutableByteSpan out, Time now, Done done) {
  access_ = {false, address, out, {}, std::move(done)};
  if (parts_.registers->needs_live_for_read(address, out.size())) return ask(Phase::kObserve);
  perform(now);
}

void RegisterBus::write(std::uint32_t address, ByteSpan data, Time now, Done done) {
  access_ = {true, address, {}, data, std::move(done)};
  if (parts_.registers->needs_live_for_write(address, data.size())) return ask(Phase::kObserve);
  perform(now);
}

void RegisterBus::ask(Phase phase) {
  phase_ = phase;
  if (phase == Phase::kRespond) {
    responder_request_.done.store(false, std::memory_order_relaxed);
  } else {
    request_.actions.clear();
    if (phase == Phase::kApply) request_.actions.swap(actions_.data_path);
    request_.done.store(false, std::memory_order_relaxed);
  }
  handed_over_ = false;
  hand_over();
  parts_.waiting(*this);
}

/// The worker's ring may be full: poll() tries again.
bool RegisterBus::hand_over() {
  if (handed_over_) return true;
  if (phase_ == Phase::kRespond) {
    handed_over_ = parts_.responder_worker->command(
        {.kind = dataplane::Command::Kind::kReceiver, .receiver = &responder_request_});
  } else {
    handed_over_ = parts_.worker->command({.kind = dataplane::Command::Kind::kBoard, .board = &request_});
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
  if (parts_.responder == nullptr) return;
  for (const board::DataPathAction& action : actions_.data_path) {
    for (engine::ReceiverAction& a : parts_.responder->before(action, live_.data))
      responder_request_.actions.push_back(std::move(a));
  }
}

void RegisterBus::perform(Time now) {
  parts_.observe(live_, now);
  if (!access_.write) return finish(parts_.registers->read(access_.address, access_.out, live_, now), now);
  actions_.clear();
  result_ = parts_.registers->write(access_.address, access_.data, live_, now, actions_);
  for (const board::SetRssi& action : actions_.links) parts_.set_link(action, now);
  if (actions_.data_path.empty()) return finish(result_, now);
  for (const board::DataPathAction& action : actions_.data_path) parts_.look(action);
  prepare_responder();
  ask(responder_request_.actions.empty() ? Phase::kApply : Phase::kRespond);
}

void RegisterBus::finish(const board::AccessResult& result, Time now) {
  const bool write = access_.write;
  const Done done = std::move(access_.done);
  srp::BusResult answer;
  answer.words = result.words;
  if (result.status == board::AccessStatus::kDecodeError) answer.status = srp::BusStatus::kDecodeError;
  done(answer, now);
  if (write) parts_.written(now);
}

}  // namespace softfeb::slowcontrol
