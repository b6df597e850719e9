// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/sharing.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::switchtest {

/// How many frames of one size the queues held.
struct BufferSeries {
  std::uint32_t size = 0;  ///< with FCS
  QueueSeries queues;
};

/// Adds the numbers of frames that the queues of a series held and, if `in_bytes` is true, their bytes.
void report_held(Context& ctx, const BufferSeries& series, bool in_bytes);
/// Adds all figures and curves of the test `buffer`. The last series must be the most accurate.
void report_buffer(Context& ctx, const std::vector<BufferSeries>& series);

}  // namespace softfeb::switchtest
