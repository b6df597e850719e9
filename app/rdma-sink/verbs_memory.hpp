// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "device.hpp"

#include <cstddef>

namespace softfeb::sink {

/// Memory that a device may write to: whole pages, filled with kUntouched. A move keeps the address.
class MappedMemory {
 public:
  /// Throws Refusal if there is not enough memory.
  explicit MappedMemory(std::size_t bytes);
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&&) = delete;

  MutableByteSpan bytes() const { return bytes_; }

 private:
  MutableByteSpan bytes_;
};

/// Registers `memory` for local writes and for the remote operations in `access` (ibv_access_flags). Throws
/// Refusal.
MrPtr register_region(ibv_pd* pd, MutableByteSpan memory, int access);

/// Allocates a protection domain. Throws Refusal.
PdPtr allocate_pd(const Device& device);

}  // namespace softfeb::sink
