// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <cstdint>

namespace softfeb::test {

/// Returns a switch with three senders p0 to p2 and a receiver p3, as in the validation sets, but with
/// parameters that are drawn at random over wide ranges. The same seed always gives the same switch.
fabric::NetworkConfig random_switch(std::uint64_t seed);

}  // namespace softfeb::test
