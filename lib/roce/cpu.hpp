// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

/// CPU features used to build and check packets. The program is built for x86-64-v2. Further features are
/// detected once at start, so that one binary runs on every such CPU. All code paths produce the same bytes.
/// The environment variable SOFTFEB_CPU overrides the detection: `native` (the default) uses what the CPU
/// has, `portable` nothing beyond x86-64-v2.
namespace softfeb::roce::cpu {

/// Carry-less multiplication (PCLMULQDQ); ISA-L is used only with it. False until static initialization has
/// run, which selects the slower but equally correct path.
extern const bool kPclmul;
/// AVX: vector registers have upper halves, which ISA-L leaves dirty.
extern const bool kAvx;
/// AVX-512F: 64-byte vectors, used to compare and copy payload.
extern const bool kAvx512;

/// Whether `text` is a valid value of SOFTFEB_CPU; empty counts as unset.
bool is_choice(std::string_view text);

/// Name for messages: "portable" or "pclmul".
const char* name();

}  // namespace softfeb::roce::cpu
