// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::sink {

/// The options of --registration.
struct RegistrationOptions {
  std::uint32_t entries = 64;  ///< transfers in progress
  std::uint32_t escape = 512;  ///< messages that wait for the first one of their transfer
  std::uint64_t escape_timeout_us = 1'000'000;
  std::uint64_t entry_timeout_us = 0;  ///< incomplete transfers are abandoned; 0: never
  std::uint32_t remember = 16;         ///< complete transfers whose late messages are recognized
};

}  // namespace softfeb::sink
