// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host_responder.hpp"

#include <algorithm>

namespace softfeb::engine {

namespace {

constexpr std::uint8_t kUcType = 3;  // QP type UC on the metadata bus

/// Size of the dispatcher's address ring in bytes.
std::uint64_t ring_bytes(const board::Dispatch& a) {
  return std::uint64_t{a.length} * std::max<std::uint32_t>(1, a.address_wrap_count);
}

}  // namespace

HostResponder::HostResponder(const Config& config, Deps deps)
    : config_(config), deps_(std::move(deps)), slots_(config.qps) {}

std::vector<ReceiverAction> HostResponder::before(const board::DataPathAction& action,
                                                  const board::DataPathState& seen) {
  Actions out;
  look_for_failures(seen);
  std::visit([this, &out](const auto& a) { on(a, out); }, action);
  return out;
}

/// If requests have failed since the last call, sets `cut_off` in all slots, because `seen` does not tell
/// which slot the failed requests belong to. The board counted the payload of a failed request as sent,
/// although the payload did not arrive.
void HostResponder::look_for_failures(const board::DataPathState& seen) {
  if (seen.completions_failed > failed_) {
    for (Slot& slot : slots_) slot.cut_off = true;
  }
  failed_ = seen.completions_failed;
}

void HostResponder::on(const board::SetQp& a, Actions& out) {
  if (a.qp < config_.first_bus_qp || a.qp - config_.first_bus_qp >= slots_.size()) return;
  const std::size_t i = a.qp - config_.first_bus_qp;
  const roce::QpState before = slots_[i].state;
  slots_[i].state = a.context.state;
  if (a.context.state == roce::QpState::kRts && before != roce::QpState::kRts) set_up(i, a.context, out);
  if (a.context.state == roce::QpState::kReset) remove(i, out);
}

void HostResponder::set_up(std::size_t i, const board::QpContext& context, Actions& out) {
  Slot& slot = slots_[i];
  const bool twice = std::any_of(slots_.begin(), slots_.end(), [&](const Slot& s) {
    return &s != &slot && s.up && s.qpn == context.dest_qpn;
  });
  if (twice || deps_.taken(context.dest_qpn)) {
    deps_.say("QP number " + std::to_string(context.dest_qpn) +
              " is already in use on the responder; choose another QPN for the host");
    remove(i, out);
    return;
  }
  SetReceiveQp a;
  a.slot = config_.first_slot + i;
  a.responder.transport = context.type == kUcType ? roce::Transport::kUc : roce::Transport::kRc;
  a.responder.qpn = context.dest_qpn;
  a.responder.dest_qpn = context.qpn;
  a.responder.pmtu = context.pmtu;
  a.responder.expected_psn = context.sq_psn;
  a.responder.rnr_timer = config_.rnr_timer;
  a.counter_goes_on = !slot.cut_off;
  slot.cut_off = false;
  slot.up = true;
  slot.qpn = context.dest_qpn;
  out.emplace_back(a);
  tell_regions(i, out);
}

void HostResponder::remove(std::size_t i, Actions& out) {
  if (!slots_[i].up) return;
  slots_[i].up = false;
  out.emplace_back(RemoveReceiveQp{config_.first_slot + i});
  // No QP is left, so the session has ended. The next session registers its own memory.
  if (std::none_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.up; })) regions_.clear();
}

void HostResponder::on(const board::SoftReset& /*a*/, Actions& out) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    remove(i, out);
    slots_[i].state = roce::QpState::kReset;
    slots_[i].cut_off = true;  // a reset discards the requests in flight, and they do not complete
  }
}

void HostResponder::on(const board::Dispatch& a, Actions& out) {
  const std::uint64_t bytes = ring_bytes(a);
  if (bytes == 0 || !acceptable(a, bytes)) return;
  add_region({{a.remote_address, bytes, a.rkey, deps_.memory(bytes)}, a.start});
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].up) tell_regions(i, out);
  }
}

/// Returns false if the address ring does not fit in the responder's memory. The burst then causes a remote
/// access error, as on a host that did not register the memory.
bool HostResponder::acceptable(const board::Dispatch& a, std::uint64_t bytes) {
  if (bytes <= config_.memory && a.remote_address <= UINT64_MAX - bytes) return true;
  const bool said = refused_.length == a.length && refused_.address_wrap_count == a.address_wrap_count &&
                    refused_.remote_address == a.remote_address;
  if (a.start && !said) {
    deps_.say("the burst's address ring, " + std::to_string(a.length) + " bytes in each of " +
              std::to_string(std::max<std::uint32_t>(1, a.address_wrap_count)) +
              " slots, does not fit the responder's memory of " + std::to_string(config_.memory) +
              " bytes and will be refused (remote access error); enlarge the receiver's `memory`, or reduce "
              "Len or AddrWrapCount");
    refused_ = a;
  }
  return false;
}

/// Keeps one region per rkey. If the ring of an rkey changes, the previous addresses stay valid as long as
/// the memory covers both rings, because packets of the previous burst may still arrive.
void HostResponder::add_region(Region region) {
  roce::MemoryRegion& made = region.memory;
  const auto same = std::find_if(regions_.begin(), regions_.end(),
                                 [&](const Region& r) { return r.memory.rkey == made.rkey; });
  if (same != regions_.end()) {
    const roce::MemoryRegion& old = same->memory;
    const std::uint64_t begin = std::min(old.address, made.address);
    const std::uint64_t end = std::max(old.address + old.length, made.address + made.length);
    if (end - begin <= config_.memory) made = {begin, end - begin, made.rkey, deps_.memory(end - begin)};
    region.lasting = region.lasting || same->lasting;
    regions_.erase(same);
  } else if (!regions_.empty() && !regions_.back().lasting) {
    regions_.pop_back();
  } else if (regions_.size() == kMaxSlotRegions) {
    regions_.erase(regions_.begin());
  }
  regions_.push_back(region);
}

void HostResponder::tell_regions(std::size_t i, Actions& out) const {
  SetReceiveRegions a{config_.first_slot + i, {}};
  for (const Region& r : regions_) a.regions.push_back(r.memory);
  out.emplace_back(std::move(a));
}

}  // namespace softfeb::engine
