// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "switchtest/trial.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::switchtest {

/// Interval at which test ports announce their addresses, so that switches do not forget them.
inline constexpr Time kTeachInterval = 10 * kSecond;

/// Returns a gratuitous ARP request, which teaches switches the address of a port.
std::vector<std::uint8_t> teaching_frame(const PortAddress& address);

}  // namespace softfeb::switchtest
