// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace softfeb::endpoints {

/// Memory of a receiver's regions, contiguous, zeroed and faulted in before the first packet.
class ReceiverMemory {
 public:
  /// Throws EnvironmentError.
  explicit ReceiverMemory(std::uint64_t bytes);
  ~ReceiverMemory();
  ReceiverMemory(const ReceiverMemory&) = delete;
  ReceiverMemory& operator=(const ReceiverMemory&) = delete;

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// Memory of a receiver that acts as the host of one board's metadata bus. Faulted in on demand.
class HostMemory {
 public:
  /// Throws EnvironmentError.
  explicit HostMemory(std::uint64_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Faults in the first `bytes`, at most size(), and returns the start.
  std::uint8_t* first(std::uint64_t bytes);
  std::uint64_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t present_ = 0;
};

}  // namespace softfeb::endpoints
