// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/conformance_target.hpp"
#include "peers/peer.hpp"

#include <utility>

namespace softfeb::experiment {

TargetThread::TargetThread(TargetConnection& target) : target_(target), thread_([this] { work(); }) {}

TargetThread::~TargetThread() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TargetThread::ask(const conformance::TargetRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    request_ = request;
  }
  changed_.notify_one();
}

std::optional<conformance::TargetReply> TargetThread::reply() {
  const std::lock_guard lock(mutex_);
  return std::exchange(reply_, std::nullopt);
}

void TargetThread::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return end_ || request_; });
    if (end_) return;
    const conformance::TargetRequest request = *std::exchange(request_, std::nullopt);
    lock.unlock();
    conformance::TargetReply reply;
    try {
      reply = target_.answer(request);
    } catch (const peers::PeerError& e) {
      // A refusal concerns this request only; any other error ends the session.
      reply.error = e.what();
      reply.gone = e.fault() != peers::PeerFault::kConfiguration;
    }
    lock.lock();
    reply_ = std::move(reply);
  }
}

}  // namespace softfeb::experiment
