// SPDX-License-Identifier: BSD-3-Clause
#include "roce/cpu.hpp"

#include <cstdlib>

namespace softfeb::roce::cpu {

namespace {

constexpr std::string_view kPortable = "portable";
constexpr std::string_view kNative = "native";

bool may_go_beyond() {
  const char* const choice = std::getenv("SOFTFEB_CPU");
  return choice == nullptr || choice != kPortable;
}

}  // namespace

const bool kPclmul =
    may_go_beyond() && __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
const bool kAvx = __builtin_cpu_supports("avx") != 0;
const bool kAvx512 = may_go_beyond() && __builtin_cpu_supports("avx512f") != 0;
const bool kVpclmul256 =
    kPclmul && __builtin_cpu_supports("vpclmulqdq") != 0 && __builtin_cpu_supports("avx2") != 0;
const bool kVpclmul512 = kPclmul && kAvx512 && __builtin_cpu_supports("vpclmulqdq") != 0;

bool is_choice(std::string_view text) { return text.empty() || text == kPortable || text == kNative; }

const char* name() { return kPclmul ? "pclmul" : "portable"; }

}  // namespace softfeb::roce::cpu
