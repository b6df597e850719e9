// SPDX-License-Identifier: BSD-3-Clause
#include "engine/qp_store.hpp"

#include <memory>
#include <set>

namespace softfeb::engine {

QpStore::QpStore(std::span<const SendQpConfig> qps, std::size_t more, const SendQpConfig& like,
                 std::pmr::memory_resource* from)
    : QpStore(sizes_of(qps, more, like), from) {}

QpStore::QpStore(const Sizes& sizes, std::pmr::memory_resource* from)
    : block_(sizes.sum(), from),
      qps_(static_cast<SendQp*>(block_.take(sizes.qps))),
      controls_(static_cast<std::byte*>(block_.take(sizes.controls))),
      next_control_(controls_),
      next_queue_(static_cast<std::byte*>(block_.take(sizes.queues))),
      next_pacer_(static_cast<Pacer*>(block_.take(sizes.pacers))) {}

QpStore::~QpStore() {
  std::destroy_n(qps_, size_);
  while (controls_ != next_control_) {
    auto* const control = reinterpret_cast<dcqcn::CongestionControl*>(controls_);
    controls_ += Block::rounded(control->memory());
    std::destroy_at(control);
  }
}

std::size_t QpStore::Sizes::sum() const {
  return Block::rounded(qps) + Block::rounded(controls) + Block::rounded(queues) + Block::rounded(pacers);
}

QpStore::Sizes QpStore::sizes_of(std::span<const SendQpConfig> qps, std::size_t more,
                                 const SendQpConfig& like) {
  Sizes sizes;
  std::set<std::uint32_t> groups;
  const auto add = [&](const SendQpConfig& c) {
    sizes.qps += sizeof(SendQp);
    sizes.queues += SendQp::send_queue_bytes(c);
    if (SendQp::needs_pacer(c)) sizes.pacers += sizeof(Pacer);
    if (!c.congestion_group || groups.insert(*c.congestion_group).second)
      sizes.controls += Block::rounded(congestion_control_bytes(c.congestion));
  };
  for (const SendQpConfig& c : qps) add(c);
  for (std::size_t i = 0; i < more; ++i) add(like);
  return sizes;
}

SendQp& QpStore::add(const SendQpConfig& config, dcqcn::CongestionControl* control) {
  SendQpParts parts;
  roce::RequesterConfig common = SendQp::requester_config(config);
  common.qpn = common.dest_qpn = common.initial_psn = 0;
  // One whose requests come from elsewhere will get another configuration some day: its own.
  if (const auto again = SendQp::request_again(config)) parts.requester = requesters_.keep(common, again);
  parts.traffic = traffics_.keep(TrafficProfile(config.traffic).config);
  parts.queue = next_queue_;
  next_queue_ += SendQp::send_queue_bytes(config);
  if (SendQp::needs_pacer(config)) parts.pacer = next_pacer_++;
  SendQp* const qp = std::construct_at(qps_ + size_, config, control, parts);
  ++size_;
  return *qp;
}

dcqcn::CongestionControl* QpStore::add_control(const CongestionProfile& profile) {
  dcqcn::CongestionControl* const control = make_congestion_control(profile, next_control_);
  if (control != nullptr) next_control_ += Block::rounded(control->memory());
  return control;
}

}  // namespace softfeb::engine
