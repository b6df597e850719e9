// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

/// Which instructions packets are made and checked with. The program is built for x86-64-v2; what a CPU has
/// beyond that is found out once, when the program starts, so that one binary runs on all of them. Every way
/// gives the same bytes. The environment variable SOFTFEB_CPU has the last word: `native`, as without it, or
/// `portable`, nothing beyond x86-64-v2.
namespace softfeb::roce::cpu {

/// Carry-less multiplication, and with it ISA-L. False before the program's static objects are made, which is
/// slower and right all the same.
extern const bool kPclmul;
/// Vector registers have upper halves, which ISA-L leaves in use.
extern const bool kAvx;
/// Vectors of 64 bytes, for comparing and copying payload.
extern const bool kAvx512;

/// Whether SOFTFEB_CPU may be that.
bool is_choice(std::string_view text);

/// For people: "portable" or "pclmul".
const char* name();

}  // namespace softfeb::roce::cpu
