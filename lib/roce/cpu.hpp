// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

/// CPU features used to build and check packets. The program is built for x86-64-v2. Further features are
/// detected once at startup, so that one binary runs on every x86-64-v2 CPU. On other architectures, all
/// features are false. All code paths produce the same bytes. The environment variable SOFTFEB_CPU overrides
/// the detection: `native` (the default) uses all detected features; `portable` uses only the features of
/// x86-64-v2.
namespace softfeb::roce::cpu {

/// True if carry-less multiplication (PCLMULQDQ) and ISA-L are used. Before static initialization is
/// complete, kPclmul may still be false. The code then uses the portable path, which produces the same bytes.
extern const bool kPclmul;
/// True if the CPU supports AVX, whatever SOFTFEB_CPU is. Vector registers then have upper halves, which
/// ISA-L leaves dirty.
extern const bool kAvx;
/// True if AVX-512F is used: 64-byte vectors that compare and copy payload.
extern const bool kAvx512;
/// True if carry-less multiplication of all 16-byte lanes of a vector (VPCLMULQDQ) is used, with vectors of
/// 32 bytes (AVX2) and of 64 bytes (AVX-512F).
extern const bool kVpclmul256;
extern const bool kVpclmul512;

/// Returns true if `text` is a valid value of SOFTFEB_CPU. An empty value counts as unset.
bool is_choice(std::string_view text);

/// Name of the selected code path, for messages: "portable" or "pclmul".
const char* name();

}  // namespace softfeb::roce::cpu
