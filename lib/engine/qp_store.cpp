// SPDX-License-Identifier: BSD-3-Clause
#include "engine/qp_store.hpp"

#include <algorithm>
#include <memory>
#include <set>

namespace softfeb::engine {

namespace {

ControlledQp controlled(const SendQpConfig& config) {
  return {config.requester.pmtu, SendQp::send_queue_needed(config)};
}

}  // namespace

QpStore::QpStore(std::span<const SendQpConfig> qps, std::size_t more, const SendQpConfig& like,
                 std::pmr::memory_resource* from)
    : QpStore(sizes_of(qps, more, like), from) {}

QpStore::QpStore(const Sizes& sizes, std::pmr::memory_resource* from)
    : block_(sizes.sum(), from),
      stride_(sizes.stride()),
      tracker_offset_(sizeof(SendQp) + sizes.own_control),
      lines_behind_(sizes.long_control ? static_cast<unsigned>((stride_ - sizeof(SendQp)) / 64) : 0),
      qps_(static_cast<std::byte*>(block_.take(sizes.count * stride_))),
      shared_controls_(static_cast<std::byte*>(block_.take(sizes.shared_controls))),
      next_shared_(shared_controls_),
      next_queue_(static_cast<std::byte*>(block_.take(sizes.queues))),
      next_pacer_(static_cast<Pacer*>(block_.take(sizes.pacers))) {}

QpStore::~QpStore() {
  for (std::size_t i = 0; i < size_; ++i) {
    SendQp& qp = (*this)[i];
    congestion::CongestionControl* const control = qp.congestion();
    std::destroy_at(&qp);
    if (static_cast<void*>(control) == place(i) + sizeof(SendQp)) std::destroy_at(control);
  }
  while (shared_controls_ != next_shared_) {
    auto* const control = reinterpret_cast<congestion::CongestionControl*>(shared_controls_);
    shared_controls_ += Block::rounded(control->memory());
    std::destroy_at(control);
  }
}

std::size_t QpStore::Sizes::sum() const {
  return Block::rounded(count * stride()) + Block::rounded(shared_controls) + Block::rounded(queues) +
         Block::rounded(pacers);
}

QpStore::Sizes QpStore::sizes_of(std::span<const SendQpConfig> qps, std::size_t more,
                                 const SendQpConfig& like) {
  Sizes sizes;
  std::set<std::uint32_t> groups;
  const auto add = [&](const SendQpConfig& c) {
    ++sizes.count;
    sizes.queues += SendQp::send_queue_bytes(c);
    if (SendQp::needs_pacer(c)) sizes.pacers += sizeof(Pacer);
    if (SendQp::needs_tracker(c)) sizes.tracker = sizeof(FlightTracker);
    // Both kinds of DCQCN keep everything that most packets need in their first two cache lines.
    if (c.congestion.index() != 0 && !std::holds_alternative<dcqcn::FirmwareSettings>(c.congestion) &&
        !std::holds_alternative<dcqcn::PaperSettings>(c.congestion))
      sizes.long_control = true;
    const std::size_t control = Block::rounded(congestion_control_bytes(c.congestion, controlled(c)));
    if (!c.congestion_group) {
      sizes.own_control = std::max(sizes.own_control, control);
    } else if (groups.insert(*c.congestion_group).second) {
      sizes.shared_controls += control;
    }
  };
  for (const SendQpConfig& c : qps) add(c);
  for (std::size_t i = 0; i < more; ++i) add(like);
  return sizes;
}

SendQp& QpStore::add(const SendQpConfig& config, congestion::CongestionControl* control,
                     const SendQpDeps& shared) {
  SendQpDeps deps;
  deps.cc_port = shared.cc_port;
  deps.flight = shared.flight;
  deps.posted = shared.posted;
  if (SendQp::needs_tracker(config)) deps.tracker = place(size_) + tracker_offset_;
  roce::RequesterConfig common = SendQp::requester_config(config);
  common.qpn = common.dest_qpn = common.initial_psn = 0;
  // The configuration of a QP that generates no messages (for example, a slot of the metadata bus) is not
  // shared, because renew() may change it later.
  if (const auto again = SendQp::request_again(config)) deps.requester = requesters_.intern(common, again);
  if (config.times) {
    timed_bytes_ += MessageTimes::bytes(SendQp::send_queue_needed(config)) + sizeof(TrafficSettings);
  } else {
    deps.traffic = traffics_.intern(TrafficSettings(config.traffic).config);
  }
  deps.queue = next_queue_;
  next_queue_ += SendQp::send_queue_bytes(config);
  if (SendQp::needs_pacer(config)) deps.pacer = next_pacer_++;
  auto* const qp = new (place(size_)) SendQp(config, control, deps);
  ++size_;
  return *qp;
}

congestion::CongestionControl* QpStore::add_control(const SendQpConfig& config) {
  const ControlledQp qp = controlled(config);
  if (!config.congestion_group)
    return make_congestion_control(config.congestion, place(size_) + sizeof(SendQp), qp);
  congestion::CongestionControl* const control = make_congestion_control(config.congestion, next_shared_, qp);
  if (control != nullptr) next_shared_ += Block::rounded(control->memory());
  return control;
}

}  // namespace softfeb::engine
