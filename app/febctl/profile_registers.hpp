// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/profile.hpp"
#include "register.hpp"

#include <vector>

namespace softfeb::febctl {

/// The registers of a firmware profile.
std::vector<Register> registers_of(const board::Profile& profile);

}  // namespace softfeb::febctl
