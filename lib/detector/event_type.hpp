// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::detector {

/// Type of a trigger and of the event that it starts, with the values of CTAO's R1 data model. Other values
/// are valid too, and are passed on unchanged.
enum class EventType : std::uint8_t {
  kFlatfield = 0,
  kSkyPedestal = 2,
  kDaq = 24,
  kSubarray = 32,
  kUnknown = 255,
};

}  // namespace softfeb::detector
