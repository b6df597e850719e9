// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_answers.hpp"

#include <string>

namespace softfeb::test {

/// Returns the bits that may differ between softfeb's board and the server of a capture, according to the
/// lists in free_registers.cpp. If these lists do not contain the capture, its server is unknown, and every
/// read value may differ.
FreeBits free_bits_of(const std::string& capture);

}  // namespace softfeb::test
