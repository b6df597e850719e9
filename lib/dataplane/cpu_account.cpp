// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/cpu_account.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::dataplane {

namespace {
/// Longer iterations are cut to this length, because their samples would not fit into the ring.
constexpr Time kLongestIteration = 10 * kSecond;
}  // namespace

void CpuAccount::add_across(Time length, bool busy) {
  length = std::min(length, kLongestIteration);
  while (length >= left_) {
    length -= left_;
    if (busy) busy_ += left_;
    close_sample();
  }
  left_ -= length;
  if (busy) busy_ += length;
}

void CpuAccount::end(std::uint64_t tsc, bool busy) {
  enter(engine::Stage::kOther, tsc);
  if (!busy) return;
  for (std::size_t i = 0; i < current_.size(); ++i) measured_[i] += current_[i];
}

void CpuAccount::close_sample() {
  const std::uint64_t sum = std::accumulate(measured_.begin(), measured_.end(), std::uint64_t{0});
  if (sum != 0) {
    for (std::size_t i = 0; i < measured_.size(); ++i)
      proportions_[i] = static_cast<float>(static_cast<double>(measured_[i]) / static_cast<double>(sum));
  }
  CpuSample sample;
  sample.busy = static_cast<float>(static_cast<double>(busy_) / static_cast<double>(kCpuInterval));
  for (std::size_t i = 0; i < proportions_.size(); ++i) sample.stages[i] = sample.busy * proportions_[i];
  samples_.push(sample);
  measured_ = {};
  busy_ = 0;
  left_ = kCpuInterval;
}

}  // namespace softfeb::dataplane
