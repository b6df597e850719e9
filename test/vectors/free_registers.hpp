// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_answers.hpp"

#include <string>

namespace softfeb::test {

/// Returns the bits that may differ between the captured server and our board, from the lists in
/// free_registers.cpp. If the capture is not in these lists, the server is unknown, and every value read
/// may differ.
FreeBits free_bits_of(const std::string& capture);

}  // namespace softfeb::test
