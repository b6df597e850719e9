// SPDX-License-Identifier: BSD-3-Clause
#include "roce/cpu.hpp"

#include <cstdlib>

#if defined(__x86_64__)
#define SOFTFEB_CPU_HAS(feature) (__builtin_cpu_supports(feature) != 0)
#else
#define SOFTFEB_CPU_HAS(feature) false
#endif

namespace softfeb::roce::cpu {

namespace {

constexpr std::string_view kPortable = "portable";
constexpr std::string_view kNative = "native";

bool may_go_beyond() {
  const char* const choice = std::getenv("SOFTFEB_CPU");
  return choice == nullptr || choice != kPortable;
}

}  // namespace

const bool kPclmul = may_go_beyond() && SOFTFEB_CPU_HAS("pclmul") && SOFTFEB_CPU_HAS("sse4.1");
const bool kAvx = SOFTFEB_CPU_HAS("avx");
const bool kAvx512 = may_go_beyond() && SOFTFEB_CPU_HAS("avx512f");
const bool kVpclmul256 = kPclmul && SOFTFEB_CPU_HAS("vpclmulqdq") && SOFTFEB_CPU_HAS("avx2");
const bool kVpclmul512 = kPclmul && kAvx512 && SOFTFEB_CPU_HAS("vpclmulqdq");

bool is_choice(std::string_view text) { return text.empty() || text == kPortable || text == kNative; }

const char* name() { return kPclmul ? "pclmul" : "portable"; }

}  // namespace softfeb::roce::cpu
