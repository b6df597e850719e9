// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace softfeb::srp {

/// Result of a bus access: the AXI response of the board's bus, or a timeout. The values are those of the
/// SRPv3 status word.
enum class BusStatus : std::uint32_t {
  kOk = 0,
  kSlaveError = 2,
  kDecodeError = 3,  ///< no slave at this address
  /// The component that owns the register did not respond; the access may still be carried out.
  kTimeout = 0x100,
};

struct BusResult {
  BusStatus status = BusStatus::kOk;
  /// Number of words completed before the error; the board stops at the first word that fails.
  std::size_t words = 0;
};

/// The 32-bit register bus behind SRPv3. Addresses and sizes are multiples of 4, sizes are 4…4096 bytes,
/// and address + size is at most 2^32. Accesses are asynchronous: `done` is called exactly once, on the
/// caller's thread, with the current time, possibly before the call returns. Until `done` is called, the
/// caller must not start another access, and the buffer must stay valid and in place.
class Bus {
 public:
  using Done = std::function<void(const BusResult&, Time)>;

  virtual ~Bus() = default;
  virtual void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) = 0;
  virtual void write(std::uint32_t address, ByteSpan data, Time now, Done done) = 0;
};

}  // namespace softfeb::srp
