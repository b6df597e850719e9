// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

namespace softfeb::bench {

struct CraftOptions {
  std::uint32_t pmtu = 4096;
  bool known_crc = true;   ///< payload CRCs prepared beforehand; otherwise the iCRC is made over every byte
  std::uint32_t qps = 64;  ///< UC queue pairs that take turns
  unsigned runs = 7;
  double seconds = 0.3;  ///< of each run
};

/// Frames made by a whole board (queue pairs, ready queue, headers, iCRC) and thrown away: what one core can
/// give a port that takes everything.
nlohmann::ordered_json bench_craft(const CraftOptions& options);

}  // namespace softfeb::bench
