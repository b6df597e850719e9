// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/transfers.hpp"

namespace softfeb::endpoints {

namespace {

roce::RegistrationConfig registration_of(const config::RegistrationSettings& r, std::uint32_t packet) {
  roce::RegistrationConfig c;
  c.packet = packet;
  c.mask_bits = r.mask_bits;
  c.entries = r.entries;
  c.escape = r.escape;
  c.escape_timeout = r.escape_timeout;
  c.entry_timeout = r.entry_timeout;
  c.remember = r.remember;
  c.open_length = true;
  return c;
}

}  // namespace

engine::TransferTimes* Transfers::times_of(const config::RunConfig& config, const QpPlan& plan) {
  auto& of_board = times[*plan.target.receiver][plan.board];
  if (!of_board) {
    of_board = std::make_unique<engine::TransferTimes>();
    of_board->post_delay = config.boards[plan.board].post_delay;
  }
  return of_board.get();
}

void Transfers::add(const config::RunConfig& config, const QpPlan& plan, engine::SendQpConfig& qp,
                    std::vector<engine::ReceiverConfig>& receivers) {
  const config::TransferConfig& t = *plan.config->traffic.transfer;
  const std::optional<std::size_t> r = plan.target.receiver;
  if (plan.number == 0) {
    groups.push_back({r, t.registered,
                      std::make_unique<engine::TransferProgress>(static_cast<std::uint32_t>(t.segments()),
                                                                 plan.config->count, qp.traffic.slots)});
  }
  qp.traffic.transfer = {.segments = static_cast<std::uint32_t>(t.segments()),
                         .group = plan.config->count,
                         .sender_notifies = t.notify_sender,
                         .progress = t.notify_sender ? nullptr : groups.back().progress.get(),
                         .times = r ? times_of(config, plan) : nullptr};
  qp.traffic.plan = board::MessagePlan::of(t.bytes, t.segment_bytes());
  qp.traffic.immediate = plan.number;
  if (r && !receivers[*r].registration)
    receivers[*r].registration = registration_of(config.receivers[*r].registration, t.segment_bytes());
}

}  // namespace softfeb::endpoints
