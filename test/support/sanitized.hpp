// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb::test {

/// True in a build with AddressSanitizer, where tests take about 30 times as long. Tests then skip work that
/// would only run the same code many more times.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace softfeb::test
