// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/congestion_control.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"

#include <cstdint>
#include <memory>
#include <variant>

namespace softfeb::engine {

/// Which congestion control a QP has, and with what: none, the firmware's DCQCN, or the paper's.
using CongestionProfile = std::variant<std::monostate, dcqcn::FirmwareProfile, dcqcn::PaperProfile>;

/// Bytes that one takes; 0 for none.
std::size_t congestion_control_bytes(const CongestionProfile& profile);
/// Makes it at `place`, so many bytes, aligned for a cache line; null for none.
dcqcn::CongestionControl* make_congestion_control(const CongestionProfile& profile, void* place);

enum class Change : std::uint8_t {
  kMade,
  kNone,     ///< the parameters were these already
  kRefused,  ///< the profile is of another algorithm
};

/// New parameters for one that runs, in force from `now` on. What is fixed when it is made (bucket, the
/// firmware's line rate) stays.
Change change_parameters(dcqcn::CongestionControl& control, const CongestionProfile& profile, Time now);

}  // namespace softfeb::engine
