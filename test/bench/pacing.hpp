// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rig.hpp"
#include "statistics.hpp"

namespace softfeb::bench {

enum class Algorithm {
  kConstant,  ///< `rate` of the traffic: no congestion control
  kFirmware,  ///< its token bucket at line rate, no CNP
  kPaper,     ///< the same for the paper's, its bucket empty at the start
};

struct PacingOptions {
  std::uint64_t rate =
      1'250'000'000;  ///< bytes per second of all queue pairs together, as the algorithm counts
  std::uint32_t qps = 1;
  bool ring = false;
  Algorithm algorithm = Algorithm::kConstant;
  std::uint64_t bucket = 16'384;  ///< bytes, kPaper: what it holds of the time in which the loop was not run
  Time duration = kSecond;
  unsigned runs = 3;
};

/// How well queue pairs of rate / qps each keep to it, of all packets, stamped as tx_burst is called; and how
/// the machine's time went meanwhile. doc/pacing.md says how to read it.
Json bench_pacing(const Environment& environment, const PacingOptions& options);

/// 0.1 to 100 Gb/s by 1 to 10,000 queue pairs, the rest as `options` say.
Json bench_pacing_suite(const Environment& environment, PacingOptions options);

}  // namespace softfeb::bench
