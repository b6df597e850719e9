// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/congestion_control.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"

#include <cstdint>
#include <memory>
#include <variant>

namespace softfeb::engine {

/// Selects the congestion control of a QP and its parameters: none, the firmware's DCQCN, or the paper's.
using CongestionSettings = std::variant<std::monostate, dcqcn::FirmwareSettings, dcqcn::PaperSettings>;

/// Size of the object in bytes; 0 for none.
std::size_t congestion_control_bytes(const CongestionSettings& profile);
/// Constructs the object at `place`, which has congestion_control_bytes() bytes and is aligned to a cache
/// line; returns null for none.
dcqcn::CongestionControl* make_congestion_control(const CongestionSettings& profile, void* place);

enum class Change : std::uint8_t {
  kMade,
  kNone,     ///< the parameters were already set
  kRefused,  ///< the profile is for a different algorithm
};

/// Sets new parameters of a running congestion control, in effect from `now` on. Settings fixed at
/// construction (the token bucket, the firmware's line rate) do not change.
Change change_parameters(dcqcn::CongestionControl& control, const CongestionSettings& profile, Time now);

}  // namespace softfeb::engine
