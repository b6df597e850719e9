// SPDX-License-Identifier: BSD-3-Clause
#include "roce/arrival_window.hpp"

namespace softfeb::roce {

std::optional<ArrivalWindow::Arrival> ArrivalWindow::note(Psn psn) {
  const std::int32_t distance = psn_diff(psn, next_psn_);
  if (distance >= 0) {
    const auto gap = static_cast<std::uint64_t>(distance);
    const Arrival a{gap == 0 ? Kind::kNext : Kind::kAhead, next_index_ + gap, gap};
    seen_ = gap + 1 >= kWindow ? 1 : (seen_ << (gap + 1)) | 1;
    next_index_ = a.index + 1;
    next_psn_ = psn_add(psn, 1);
    return a;
  }
  const auto behind = static_cast<std::uint64_t>(-static_cast<std::int64_t>(distance));
  if (behind > next_index_) return std::nullopt;
  Arrival a{Kind::kTooOld, next_index_ - behind, 0};
  if (behind > kWindow) return a;
  const std::uint64_t bit = std::uint64_t{1} << (behind - 1);
  a.kind = (seen_ & bit) != 0 ? Kind::kDuplicate : Kind::kLate;
  seen_ |= bit;
  return a;
}

ArrivalWindow::Arrival ArrivalWindow::restart(Psn psn) {
  next_psn_ = psn;
  seen_ = 0;
  return *note(psn);
}

}  // namespace softfeb::roce
