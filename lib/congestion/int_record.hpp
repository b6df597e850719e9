// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::congestion {

/// Returns now − before for two counters that wrap at 2^bits, as a signed number in [−2^(bits−1),
/// 2^(bits−1)). A negative result means that the counter decreased. `bits` is 1…32; higher bits of the
/// counters are ignored.
constexpr std::int64_t wrapped_difference(std::uint32_t now, std::uint32_t before, unsigned bits) {
  const unsigned unused = 32 - bits;
  return static_cast<std::int32_t>((now - before) << unused) >> unused;
}

/// In-band network telemetry of one switch port (the INT record of HPCC, SIGCOMM 2019): the state of the port
/// when the first bit of a packet leaves. On the wire, a record has 64 bits: 4 bits for the rate code, 24 for
/// the time, 20 for the bytes sent, and 16 for the queue.
struct IntRecord {
  static constexpr std::uint8_t kUnknownRate = 15;
  static constexpr unsigned kTimeBits = 24, kTxBits = 20;
  static constexpr std::uint32_t kTxUnit = 128, kQueueUnit = 80;  ///< bytes per unit

  std::uint8_t rate_code = kUnknownRate;  ///< link rate as a code, 0…15
  std::uint32_t time = 0;                 ///< ns, modulo 2^24 (wraps after 16.8 ms)
  /// Bytes sent by the port, in units of kTxUnit, modulo 2^20 (wraps after 134 MB).
  std::uint32_t tx = 0;
  std::uint16_t queue = 0;  ///< queue length, in units of kQueueUnit; saturates

  /// Creates a record. `rate` is in bytes per second; a rate without a code becomes kUnknownRate.
  /// `tx_bytes` and `queue_bytes` are rounded down to their units.
  static constexpr IntRecord of(std::uint64_t rate, Time at, std::uint64_t tx_bytes,
                                std::uint64_t queue_bytes);
  static constexpr IntRecord unpack(std::uint64_t word) {
    return {static_cast<std::uint8_t>(word >> 60), static_cast<std::uint32_t>(word >> 36) & 0xff'ffff,
            static_cast<std::uint32_t>(word >> 16) & 0xf'ffff, static_cast<std::uint16_t>(word)};
  }
  constexpr std::uint64_t pack() const {
    return std::uint64_t{rate_code} << 60 | std::uint64_t{time & 0xff'ffff} << 36 |
           std::uint64_t{tx & 0xf'ffff} << 16 | queue;
  }

  /// Link rate in bytes per second; 0 if unknown, in which case the record must be ignored.
  constexpr std::uint64_t rate() const;
  constexpr std::uint32_t queue_bytes() const { return queue * kQueueUnit; }
  /// Picoseconds since `before`, which is an earlier record of the same port; negative if the time decreased.
  /// Valid if the true difference is below 8.4 ms.
  constexpr std::int64_t elapsed_since(const IntRecord& before) const {
    return wrapped_difference(time, before.time, kTimeBits) * static_cast<std::int64_t>(kNanosecond);
  }
  /// Number of bytes sent since `before`; negative if the counter decreased. Valid if the true difference is
  /// below 67 MB, which a port at 67 Gb/s sends in 8 ms.
  constexpr std::int64_t sent_since(const IntRecord& before) const {
    return wrapped_difference(tx, before.tx, kTxBits) * kTxUnit;
  }

  bool operator==(const IntRecord&) const = default;
};

/// Link rates in bytes per second by rate code: 1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400, 800, 1600 Gb/s.
inline constexpr std::array<std::uint64_t, 12> kIntRates = {
    125'000'000,   312'500'000,    625'000'000,    1'250'000'000,  3'125'000'000,   5'000'000'000,
    6'250'000'000, 12'500'000'000, 25'000'000'000, 50'000'000'000, 100'000'000'000, 200'000'000'000};

constexpr std::uint64_t IntRecord::rate() const {
  return rate_code < kIntRates.size() ? kIntRates[rate_code] : 0;
}

/// Returns the code of a link rate in bytes per second; IntRecord::kUnknownRate if there is no code for this
/// rate.
constexpr std::uint8_t int_rate_code(std::uint64_t rate) {
  for (std::size_t i = 0; i < kIntRates.size(); ++i) {
    if (kIntRates[i] == rate) return static_cast<std::uint8_t>(i);
  }
  return IntRecord::kUnknownRate;
}

constexpr IntRecord IntRecord::of(std::uint64_t rate, Time at, std::uint64_t tx_bytes,
                                  std::uint64_t queue_bytes) {
  return {int_rate_code(rate), static_cast<std::uint32_t>(at / kNanosecond) & 0xff'ffff,
          static_cast<std::uint32_t>(tx_bytes / kTxUnit) & 0xf'ffff,
          static_cast<std::uint16_t>(std::min<std::uint64_t>(queue_bytes / kQueueUnit, UINT16_MAX))};
}

}  // namespace softfeb::congestion
