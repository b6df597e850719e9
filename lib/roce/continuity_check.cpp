// SPDX-License-Identifier: BSD-3-Clause
#include "roce/continuity_check.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace softfeb::roce {

namespace {

constexpr std::size_t kRun = 4096;

/// Consecutive counter values starting at 0. The array contains kRun consecutive values for any start
/// value, so one memcmp() checks up to kRun bytes.
constexpr auto kCounter = [] {
  std::array<std::uint8_t, kRun + 256> a{};
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint8_t>(i);
  return a;
}();

}  // namespace

void ContinuityCheck::on(ByteSpan part) {
  if (part.empty()) return;
  if (!started_) {
    started_ = true;
    next_ = part[0];
  }
  while (!part.empty()) {
    const ByteSpan run = part.first(std::min(part.size(), kRun));
    part = part.subspan(run.size());
    if (std::memcmp(run.data(), &kCounter[next_], run.size()) == 0) {
      next_ = static_cast<std::uint8_t>(next_ + run.size());
      checked_ += run.size();
      continue;
    }
    for (const std::uint8_t b : run) {
      if (b != next_) {
        ++breaks_;
        first_break_ = std::min(first_break_, checked_);
      }
      next_ = static_cast<std::uint8_t>(b + 1);
      ++checked_;
    }
  }
}

}  // namespace softfeb::roce
