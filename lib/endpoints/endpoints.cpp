// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/endpoints.hpp"

#include "endpoints/addresses.hpp"
#include "endpoints/board_config.hpp"
#include "endpoints/qp_congestion.hpp"
#include "endpoints/random_traffic.hpp"
#include "endpoints/receiver_config.hpp"
#include "endpoints/send_qp_config.hpp"

namespace softfeb::endpoints {

namespace {

/// Returns the source of a queue pair's latency stamps. The stamps identify a message by the receiver's queue
/// pair if the receiver is in this process, and otherwise by the board's queue pair.
latency::StampSource stamps_of(const QpPlan& plan, latency::Stamps& stamps) {
  return {&stamps, plan.target.receiver ? latency::QpOwner::receiver(*plan.target.receiver)
                                        : latency::QpOwner::board(plan.board)};
}

/// Gives `receiver` one slot per QP that the bus of `board` may create.
HostPlan make_host(const config::RunConfig& config, const config::BoardConfig& board,
                   engine::ReceiverConfig& receiver) {
  HostPlan plan;
  plan.receiver = *board.control->responder;
  plan.first_slot = receiver.qps.size() + receiver.slots.size();
  const config::ReceiverConfig& c = config.receivers[plan.receiver];
  plan.memory = std::make_unique<HostMemory>(c.memory);
  receiver.slots.resize(receiver.slots.size() + board.control->qps,
                        {.reply_path = path_of(c.endpoint, board.endpoint.ip)});
  return plan;
}

/// Completes the configurations of all boards and receivers, and then creates the boards and receivers.
class Builder {
 public:
  Builder(const config::RunConfig& config, const Plans& plans, const Payloads& payloads,
          const BuildSettings& settings)
      : config_(config), plans_(plans), payloads_(payloads), settings_(settings), random_(config) {}

  Endpoints build() {
    out_.events = make_event_data(config_, settings_.services);
    out_.transfers.times.resize(config_.receivers.size());
    for (std::size_t b = 0; b < config_.boards.size(); ++b) add_board(b);
    for (std::size_t r = 0; r < config_.receivers.size(); ++r) add_receiver(r);
    for (const QpPlan& plan : plans_.all()) add_qp(plan);
    add_events();
    out_.messages = random_.take_boards();
    add_hosts();
    create();
    return std::move(out_);
  }

 private:
  void add_board(std::size_t b) {
    const std::uint32_t pmtu = settings_.largest_pmtus[config_.boards[b].endpoint.port];
    boards_.push_back(board_config_of(config_, b, payloads_, pmtu, settings_.network_slack));
    boards_.back().memory = settings_.memory;
  }

  void add_receiver(std::size_t r) {
    const config::ReceiverConfig& c = config_.receivers[r];
    const std::size_t worker = c.endpoint.worker, qps = plans_.receiver_qps(r);
    receivers_.push_back(receiver_config_of(config_, r, qps));
    if (!settings_.stamps.empty())
      receivers_.back().stamps = {settings_.stamps[worker], latency::QpOwner::receiver(r)};
    settings_.for_worker(worker, [&] {
      out_.memories.push_back(
          std::make_unique<ReceiverMemory>(c.memory * (c.events ? 1 : qps), config_.is_here(c.endpoint)));
    });
  }

  void add_qp(const QpPlan& plan) {
    const config::BoardConfig& board = config_.boards[plan.board];
    const config::CongestionConfig& congestion = congestion_config_of(board, *plan.config);
    engine::SendQpConfig qp = send_qp_of(config_, plan, payloads_);
    qp.congestion = congestion_of(congestion);
    qp.congestion_group = groups_.of(plan, congestion);
    qp.times = random_.of(plan);
    if (!settings_.stamps.empty()) {
      qp.traffic.stamps = stamps_of(plan, *settings_.stamps[board.endpoint.worker]);
      qp.traffic.post_delay = board.post_delay;
    }
    if (plan.config->traffic.transfer) out_.transfers.add(config_, plan, qp, receivers_);
    boards_[plan.board].qps.push_back(std::move(qp));
    if (!plan.target.receiver) return;
    const std::size_t r = *plan.target.receiver;
    add_receive_qp(config_, plan, payloads_, *out_.memories[r], plans_.receiver_qps(r), receivers_[r]);
  }

  void add_events() {
    for (std::size_t b = 0; b < boards_.size(); ++b) {
      if (config_.boards[b].events) boards_[b].events = event_sender_of(config_, b, out_.events);
    }
    for (std::size_t r = 0; r < receivers_.size(); ++r) {
      if (!config_.receivers[r].events) continue;
      receivers_[r].events =
          event_receiver_of(config_, r, out_.events, kRegionBase, out_.memories[r]->data());
      if (settings_.services.recorder_of) receivers_[r].events->recorder = settings_.services.recorder_of(r);
    }
  }

  void add_hosts() {
    out_.hosts.resize(boards_.size());
    for (std::size_t b = 0; b < boards_.size(); ++b) {
      const auto& control = config_.boards[b].control;
      if (control && control->responder)
        out_.hosts[b] = make_host(config_, config_.boards[b], receivers_[*control->responder]);
    }
  }

  void create() {
    out_.boards.resize(boards_.size());
    out_.receivers.resize(receivers_.size());
    for (std::size_t w = 0; w < config_.workers.count; ++w)
      settings_.for_worker(w, [&] { create_of_worker(w); });
  }

  /// True if the memory of all receivers of `worker` is small enough to stay in the caches of its CPU.
  bool memory_is_cached(std::size_t worker) const {
    std::uint64_t bytes = 0;
    for (std::size_t r = 0; r < receivers_.size(); ++r) {
      if (config_.receivers[r].endpoint.worker == worker) bytes += out_.memories[r]->size();
    }
    return bytes <= roce::kCachedMemory;
  }

  void create_of_worker(std::size_t worker) {
    const bool cached = memory_is_cached(worker);
    for (std::size_t b = 0; b < boards_.size(); ++b) {
      const config::EndpointConfig& e = config_.boards[b].endpoint;
      if (e.worker != worker) continue;
      out_.boards[b] = std::make_unique<engine::Board>(boards_[b]);
      add_neighbours(*out_.boards[b], e);
    }
    for (std::size_t r = 0; r < receivers_.size(); ++r) {
      const config::EndpointConfig& e = config_.receivers[r].endpoint;
      if (e.worker != worker) continue;
      for (engine::ReceiveQpSetup& qp : receivers_[r].qps) qp.qp.memory_is_cached = cached;
      out_.receivers[r] = std::make_unique<engine::Receiver>(receivers_[r]);
      add_neighbours(*out_.receivers[r], e);
    }
  }

  const config::RunConfig& config_;
  const Plans& plans_;
  const Payloads& payloads_;
  const BuildSettings& settings_;
  RandomTraffic random_;
  CongestionGroups groups_;
  std::vector<engine::BoardConfig> boards_;
  std::vector<engine::ReceiverConfig> receivers_;
  Endpoints out_;
};

}  // namespace

Endpoints make_listeners(const config::RunConfig& config) {
  Endpoints out;
  for (const auto& b : config.boards) {
    engine::BoardConfig board;
    board.identity = identity_of(b.endpoint);
    board.pause = {.mode = b.endpoint.pause};
    out.boards.push_back(std::make_unique<engine::Board>(board));
    add_neighbours(*out.boards.back(), b.endpoint);
  }
  for (const auto& r : config.receivers) {
    engine::ReceiverConfig receiver;
    receiver.identity = identity_of(r.endpoint);
    receiver.pause = {.mode = r.endpoint.pause};
    out.receivers.push_back(std::make_unique<engine::Receiver>(receiver));
    add_neighbours(*out.receivers.back(), r.endpoint);
  }
  return out;
}

Endpoints make_endpoints(const config::RunConfig& config, const Plans& plans, const Payloads& payloads,
                         const BuildSettings& settings) {
  return Builder(config, plans, payloads, settings).build();
}

}  // namespace softfeb::endpoints
