// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/train_error.hpp"

#include "fabric/wire_time.hpp"

namespace softfeb::switchtest {

double frames_of_error(const TrialResult& result, std::uint32_t length, double in, double out) {
  const double seconds = to_seconds(result.late_max + result.time_error);
  return seconds * in / static_cast<double>(fabric::wire_bytes(length)) / (1 - out / in);
}

}  // namespace softfeb::switchtest
