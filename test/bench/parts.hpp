// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

namespace softfeb::bench {

struct PartOptions {
  unsigned runs = 7;
  Time duration = 10 * kMillisecond;  ///< of each run of each piece of work
};

/// CRC-32 of Ethernet's polynomial over 64 bytes to 64 KiB: ISA-L, DPDK's rte_net_crc, zlib for scale, and
/// what lib/roce makes of them (`gbytes_per_s`); and the parts of an iCRC of which the length does not matter
/// (`ns`).
/// DPDK chooses its way when it has started.
Json bench_crc(const Environment& environment, const PartOptions& options);

/// What congestion control costs a packet, a CNP and an idle while, in nanoseconds: the firmware's and the
/// paper's.
Json bench_dcqcn(const PartOptions& options);

}  // namespace softfeb::bench
