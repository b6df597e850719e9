// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"

#include <cstdint>

/// The requests that set up and tear down a queue pair of the board, with the constants that the client
/// software of the real board uses.
namespace softfeb::febctl {

/// Attributes of the board's queue pair that the host determines.
struct QpParameters {
  std::uint32_t dest_qpn = 0;      ///< QPN on the host
  std::uint32_t rq_psn = 0;        ///< PSN of the host's first request, if it sends any
  std::uint32_t sq_psn = 0;        ///< PSN of the board's first packet
  std::uint32_t pmtu = 4096;       ///< path MTU in bytes
  std::uint8_t min_rnr_timer = 1;  ///< IBA code of the shortest RNR NAK delay
  std::uint8_t timeout = 14;       ///< IBA code of the ACK timeout: 4.096 us · 2^14 = 67 ms
  std::uint8_t retry_count = 3;
  std::uint8_t rnr_retry = 3;  ///< number of retries after RNR NAKs; 7 means unlimited
};

/// A memory region to register on the board. The board derives the region's keys from lkey_part and
/// rkey_part.
struct RegionParameters {
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint32_t lkey_part = 0;  ///< a number of 31 bits
  std::uint32_t rkey_part = 0;
};

board::PdRequest allocate_pd(std::uint32_t key);
board::PdRequest free_pd(std::uint32_t handler);
board::MrRequest allocate_mr(std::uint32_t pd, const RegionParameters& region);
board::MrRequest free_mr(std::uint32_t pd, std::uint32_t lkey, std::uint32_t rkey);
board::QpRequest create_qp(std::uint32_t pd);
board::QpRequest to_init(std::uint32_t qpn, const QpParameters& p);
board::QpRequest to_rtr(std::uint32_t qpn, const QpParameters& p);
board::QpRequest to_rts(std::uint32_t qpn, const QpParameters& p);
board::QpRequest to_err(std::uint32_t qpn);
board::QpRequest query_qp(std::uint32_t qpn, std::uint32_t pd);
board::QpRequest destroy_qp(std::uint32_t qpn);

/// Returns the code of a valid path MTU in bytes.
std::uint8_t pmtu_code(std::uint32_t bytes);

}  // namespace softfeb::febctl
