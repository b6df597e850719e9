// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/congestion_control.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"

#include <memory>
#include <variant>

namespace softfeb::engine {

/// Which congestion control a QP has, and with what: none, the firmware's DCQCN, or the paper's.
using CongestionProfile = std::variant<std::monostate, dcqcn::FirmwareProfile, dcqcn::PaperProfile>;

/// Null for none.
std::unique_ptr<dcqcn::CongestionControl> make_congestion_control(const CongestionProfile& profile);

/// New parameters for one that runs, in force from `now` on. What is fixed when it is made (line rate,
/// bucket) stays. False when `profile` is of another algorithm.
bool change_parameters(dcqcn::CongestionControl& control, const CongestionProfile& profile, Time now);

}  // namespace softfeb::engine
