// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/trial.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// By how many frames the longest train that fits into a queue may differ from that with exact times, in
/// frames of all senders together. A rig in real time delays frames by up to `late_max` and `time_error`, and
/// may send them in lumps afterwards. The queue then differs by what the senders send in this time, and a
/// train adds only the part of its frames to the queue that does not leave in the meantime.
///
/// `length`: bytes of a frame without FCS. `in`: rate of all senders together, and `out`: rate at which the
/// queue is emptied, in bytes per second; `in` > `out`.
double frames_of_error(const TrialResult& result, std::uint32_t length, double in, double out);

}  // namespace softfeb::switchtest
