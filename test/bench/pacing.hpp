// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "rig.hpp"
#include "statistics.hpp"

namespace softfeb::bench {

enum class Algorithm {
  kConstant,  ///< `rate` of the traffic, without congestion control
  kFirmware,  ///< the firmware's token bucket at line rate, without CNPs
  kPaper,     ///< the paper's token bucket, initially empty
};

struct PacingOptions {
  std::uint64_t rate =
      1'250'000'000;  ///< bytes per second, sum over all queue pairs, as counted by the algorithm
  std::uint32_t qps = 1;
  bool ring = false;
  Algorithm algorithm = Algorithm::kConstant;
  std::uint64_t bucket = 16'384;  ///< bytes, kPaper: credit kept while the loop was not run
  Time duration = kSecond;
  unsigned runs = 3;
};

/// How accurately queue pairs keep their rates of rate / qps, for packets stamped when tx_burst is called,
/// and how the machine's time was used. See doc/pacing.md.
Json bench_pacing(const Environment& environment, const PacingOptions& options);

/// 0.1 to 100 Gb/s with 1 to 10,000 queue pairs; otherwise like `options`.
Json bench_pacing_suite(const Environment& environment, PacingOptions options);

}  // namespace softfeb::bench
