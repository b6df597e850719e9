// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace softfeb::control {

/// How an access ended: the AXI response of the board's bus, or nobody's answer. The values are those of
/// SRPv3's status word.
enum class BusStatus : std::uint32_t {
  kOk = 0,
  kSlaveError = 2,
  kDecodeError = 3,  ///< nobody at this address
  kTimeout = 0x100,  ///< the register's owner did not answer; the access may still take place
};

struct BusResult {
  BusStatus status = BusStatus::kOk;
  std::size_t words = 0;  ///< done before the error: the board stops at the first word that fails
};

/// The 32-bit register bus behind SRPv3. Addresses and sizes are multiples of 4, sizes 4…4096, and
/// address + size is at most 2^32. Accesses are asynchronous: `done` is called once, on the caller's thread,
/// with the time, perhaps before the call returns. The caller begins an access only when the one before is
/// done; the bytes stay where they are until then.
class Bus {
 public:
  using Done = std::function<void(const BusResult&, Time)>;

  virtual ~Bus() = default;
  virtual void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) = 0;
  virtual void write(std::uint32_t address, ByteSpan data, Time now, Done done) = 0;
};

}  // namespace softfeb::control
