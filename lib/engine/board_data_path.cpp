// SPDX-License-Identifier: BSD-3-Clause
// Applies register writes to the board's data path, and copies the state that registers expose.
#include "engine/board.hpp"

#include <variant>

namespace softfeb::engine {
namespace {

/// Returns the QP's congestion control if it is the firmware's DCQCN; null otherwise.
dcqcn::FirmwareDcqcn* firmware_of(const SendQp& qp) {
  return dynamic_cast<dcqcn::FirmwareDcqcn*>(qp.congestion());
}

}  // namespace

void Board::apply(const board::DataPathAction& action, Time now) {
  std::visit([this, now](const auto& a) { act(a, now); }, action);
}

void Board::act(const board::SetDcqcn& a, Time now) {
  if (a.qp >= qps_.size()) return;
  const auto* const control = firmware_of(qps_[a.qp]);
  if (control == nullptr) return;
  dcqcn::FirmwareSettings profile;
  profile.parameters = a.applied_to(control->reaction_point().parameters());
  set_congestion(static_cast<std::uint32_t>(a.qp), profile, now);
}

void Board::act(const board::SetCnpCounterReset& a, Time now) {
  if (a.qp >= qps_.size()) return;
  auto* const control = firmware_of(qps_[a.qp]);
  if (control != nullptr) control->set_cnp_counter_reset(a.level, now);
}

void Board::act(const board::SetTrafficClass& a, Time now) {
  const auto dscp = static_cast<std::uint8_t>(a.dscp & 63);
  const auto ecn = static_cast<roce::Ecn>(a.ecn & 3);
  for (std::size_t i = 0; i < qps_.size(); ++i) qps_[i].set_traffic_class(dscp, ecn);
  bus_qps_.set_traffic_class(dscp, ecn);
  resumed(0xff, now);  // the write may have moved a QP from a paused priority to one that is not paused
}

board::QpLive Board::live(std::size_t i, Time now) const {
  board::QpLive out;
  out.qp = i;
  if (i >= qps_.size()) return out;
  const SendQp& qp = qps_[i];
  out.exists = qp_exists(i);
  out.rc = out.rt = link_.rate();
  if (const congestion::CongestionControl* const control = qp.congestion()) {
    const congestion::CongestionState s = control->state(now);
    out.rc = s.rate;
    out.rt = s.target_rate;
    out.alpha = static_cast<std::uint16_t>(std::uint64_t{s.alpha} * 1024 / s.alpha_one);
    out.cnp_counter = static_cast<std::uint16_t>(s.cnps);
  }
  if (const auto* const firmware = firmware_of(qp)) out.parameters = firmware->reaction_point().parameters();
  out.next_psn = qp.requester().next_psn();
  out.failed = out.exists && qp.requester().state() == roce::QpState::kErr;
  return out;
}

void Board::observe(board::DataPathState& out, Time now) const {
  out.at = now;
  for (board::QpLive& qp : out.qps) qp = live(qp.qp, now);
  out.completions_ok = bus_qps_.checker().ok();
  out.completions_failed = bus_qps_.checker().failed();
  out.requests_waiting = bus_qps_.requests_waiting();
  out.rx_pause = counters_.rx_pause;
  if (generator_) out.traffic_gen = generator_->live();
}

}  // namespace softfeb::engine
