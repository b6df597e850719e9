// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::detector {

/// Type of a trigger and of the event it starts: values of the R1 data model of CTAO. Other values are
/// valid and passed on.
enum class EventType : std::uint8_t {
  kFlatfield = 0,
  kSkyPedestal = 2,
  kDaq = 24,
  kSubarray = 32,
  kUnknown = 255,
};

}  // namespace softfeb::detector
