// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"
#include "switchtest/threshold_fit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// How queues share the memory of a switch.
enum class Sharing : std::uint8_t {
  kUnknown,
  kComplete,    ///< one queue may take all
  kPortLimit,   ///< the queues of one egress port together may take so much
  kQueueLimit,  ///< each queue may take so much
  kDynamic,     ///< a queue may take α times the free memory
};

/// Frames of one size that queues held, one filled after the other.
struct QueueSeries {
  struct Queue {
    double used = 0;  ///< bytes that other queues held
    FrameCount frames;
  };
  double frame = 0;               ///< bytes of a frame
  FrameCount first;               ///< the first queue, alone
  std::vector<Queue> same_port;   ///< further queues of its port, while it was full
  std::vector<Queue> other_port;  ///< a queue of another egress port
};

struct SharingFound {
  Sharing sharing = Sharing::kUnknown;
  std::string reason;                 ///< if the sharing is unknown
  std::optional<ThresholdFit> fit{};  ///< only for kDynamic
  double pool_low = 0;                ///< bytes of the memory
  std::optional<double> pool_high{};  ///< nullopt: not known
};

/// Concludes from a series how its queues share the memory. Pure function.
SharingFound sharing_of(const QueueSeries& series);
/// "dynamic threshold" and so on.
const char* word(Sharing sharing);

}  // namespace softfeb::switchtest
