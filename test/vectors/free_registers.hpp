// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_answers.hpp"

#include <string>

namespace softfeb::test {

/// Which registers' values may differ between the server of this capture and our board: the lists in
/// free_registers.cpp, by what answered there. Of a capture that is in neither list nobody knows what
/// answered: every value read may differ.
FreeBits free_bits_of(const std::string& capture);

}  // namespace softfeb::test
