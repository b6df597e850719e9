// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

namespace softfeb::bench {

struct PartOptions {
  unsigned runs = 7;
  Time duration = 10 * kMillisecond;  ///< per run and piece of work
};

/// CRC-32 with Ethernet's polynomial over 64 bytes to 64 KiB: ISA-L, DPDK's rte_net_crc, zlib for comparison,
/// and lib/roce's functions based on them (`gbytes_per_s`); and the parts of an iCRC that do not depend on
/// the length (`ns`).
/// DPDK selects its implementation when it starts.
Json bench_crc(const Environment& environment, const PartOptions& options);

/// Cost of congestion control in nanoseconds, per packet, per CNP and for an idle period, for the firmware's
/// and the paper's algorithms.
Json bench_dcqcn(const PartOptions& options);

}  // namespace softfeb::bench
