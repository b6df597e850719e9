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
  kComplete,    ///< one queue may take all memory
  kPortLimit,   ///< all queues of an egress port together have a limit
  kQueueLimit,  ///< each queue has a limit
  kDynamic,     ///< a queue may take α times the free memory
};

/// Numbers of frames of one size that queues held when the queues were filled one after the other.
struct QueueSeries {
  struct Queue {
    double used = 0;  ///< number of bytes that other queues held at the same time
    FrameCount frames;
  };
  double frame = 0;               ///< bytes of a frame
  FrameCount first;               ///< the first queue, while all other queues were empty
  std::vector<Queue> same_port;   ///< further queues of the same port, while the first queue was full
  std::vector<Queue> other_port;  ///< the same queue of another egress port, for different values of `used`
};

struct SharingFound {
  Sharing sharing = Sharing::kUnknown;
  std::string reason;                 ///< why the sharing is unknown
  std::optional<ThresholdFit> fit{};  ///< only for kDynamic
  double pool_low = 0;                ///< lower bound of the memory in bytes
  std::optional<double> pool_high{};  ///< upper bound; empty if unknown
};

/// Concludes from a series how its queues share the memory. This function is pure.
SharingFound sharing_of(const QueueSeries& series);
/// The name of a kind of sharing in reports, such as "dynamic threshold".
const char* word(Sharing sharing);

}  // namespace softfeb::switchtest
