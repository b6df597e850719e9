// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

namespace softfeb::test {

constexpr Time us(std::uint64_t n) { return n * kMicrosecond; }

}  // namespace softfeb::test
