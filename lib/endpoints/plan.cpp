// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/plan.hpp"

#include <algorithm>
#include <variant>

namespace softfeb::endpoints {

namespace {

std::uint32_t rkey_of(std::size_t receiver, std::size_t qp) {
  return static_cast<std::uint32_t>(0x5f00'0000 + (receiver << 20) + qp);
}

/// Counts the QPs that send to each receiver.
std::vector<std::size_t> count_receiver_qps(const config::RunConfig& config) {
  std::vector<std::size_t> counts(config.receivers.size(), 0);
  for (const config::BoardConfig& board : config.boards) {
    for (const config::QpConfig& qp : board.qps) {
      const auto* to = std::get_if<config::ReceiverTarget>(&qp.to);
      for (std::uint32_t i = 0; to != nullptr && i < qp.count; ++i)
        ++counts[to->receivers[i % to->receivers.size()]];
    }
  }
  return counts;
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

bool needs_session(const QpPlan& plan) {
  return std::holds_alternative<config::PerftestTarget>(plan.config->to) ||
         std::holds_alternative<config::SinkTarget>(plan.config->to);
}

bool in_window_layout(const config::ReceiverConfig& receiver) {
  return receiver.windows && receiver.windows->layout == config::WindowsConfig::Layout::kWindow;
}

Plans::Plans(const config::RunConfig& config) : receiver_qps_(count_receiver_qps(config)) {
  std::vector<std::size_t> planned(config.receivers.size(), 0);
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    std::uint32_t on_board = 0;
    for (const config::QpConfig& qp : config.boards[b].qps) {
      for (std::uint32_t i = 0; i < qp.count; ++i) {
        QpPlan plan{b, &qp, i, on_board++, qp.qpn + i, {}, {}};
        resolve(config, plan, planned);
        all_.push_back(plan);
      }
    }
  }
}

void Plans::resolve(const config::RunConfig& config, QpPlan& plan, std::vector<std::size_t>& planned) {
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
    const config::ReceiverConfig& receiver = config.receivers[r];
    const std::size_t k = planned[r]++;
    t.ip = receiver.endpoint.ip;
    t.qpn = receiver.qpn + static_cast<roce::Qpn>(k);
    t.rkey = rkey_of(r, k);
    if (receiver.events) {
      t.address = kRegionBase;  // all boards share the memory of the builder
      t.length = receiver.memory;
    } else if (in_window_layout(receiver)) {
      const std::uint64_t size = qp.traffic.message_size;
      t.address = kRegionBase + k * size;
      t.stride = receiver_qps_[r] * size;
      t.length = (receiver.windows->ring - 1) * t.stride + size;
    } else if (qp.traffic.transfer) {
      // All transfers of a group go to one receiver, where the QPs of the group are consecutive.
      t.first_qp = k - plan.number;
      t.address = kRegionBase + t.first_qp * receiver.memory;
      t.length = qp.count * receiver.memory;
    } else {
      t.address = kRegionBase + k * receiver.memory;
      t.length = receiver.memory;
    }
    t.receiver = r;
    t.receiver_qp = k;
  }
}

}  // namespace softfeb::endpoints
