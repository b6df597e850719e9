// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cdf.hpp"
#include "base/rng.hpp"

#include <cstdint>

namespace softfeb {

/// Lengths of a queue pair's messages, drawn independently from a distribution. The length of a message is a
/// pure function of its number and the seed. Sender and receiver can therefore recompute it at any time, and
/// nothing is stored per message.
struct MessageLengths {
  const Cdf* cdf = nullptr;  ///< must outlive all copies; null means that lengths are not random
  std::uint64_t seed = 0;

  explicit operator bool() const { return cdf != nullptr; }
  /// Length in bytes of message `n`, 1…Cdf::kMaxBytes. `cdf` must not be null.
  std::uint32_t at(std::uint64_t n) const {
    return static_cast<std::uint32_t>(cdf->at(static_cast<double>(Rng::nth(seed, n) >> 11) * 0x1p-53));
  }
};

}  // namespace softfeb
