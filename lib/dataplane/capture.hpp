// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "base/time.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace softfeb::dataplane {

enum class CaptureMode : std::uint8_t {
  kFirst,    ///< the first packets
  kOnError,  ///< the last packets before trigger(), and some behind it; nothing without a trigger
};

struct CaptureConfig {
  CaptureMode mode = CaptureMode::kFirst;
  std::uint32_t packets = 10'000;
  std::uint32_t snap_length = 65'535;  ///< bytes kept of a packet, at most
  std::uint32_t frame_bytes = 4'300;   ///< longest frame there is, for the memory
};

/// Packets a worker saw, copied into memory taken and touched at construction: no system call and no
/// allocation in record(). Read and written to a file by another thread once the worker has stopped
/// recording.
class Capture {
 public:
  explicit Capture(const CaptureConfig& config);

  /// False when it has all it will take: nobody need call record().
  bool wants() const { return left_ != 0; }
  void record(Time now, const Segments& frame);
  /// kOnError: keeps what is there and takes a quarter as many more. Further calls change nothing.
  void trigger();
  bool triggered() const { return triggered_; }

  /// Packets kept; kOnError without a trigger: none.
  std::size_t size() const { return config_.mode == CaptureMode::kOnError && !triggered_ ? 0 : count_; }
  struct Packet {
    Time time;
    std::uint32_t original_length;
    ByteSpan bytes;
  };
  /// The i-th packet kept, oldest first.
  Packet packet(std::size_t i) const;

 private:
  struct Slot {
    Time time;
    std::uint32_t original_length;
    std::uint32_t kept;
  };
  CaptureConfig config_;
  std::uint32_t room_;
  std::vector<Slot> slots_;
  std::vector<std::uint8_t> bytes_;
  std::size_t next_ = 0;   ///< slot to be written
  std::size_t count_ = 0;  ///< slots in use
  std::uint64_t left_;     ///< packets still taken
  bool triggered_ = false;
};

/// Writes captures (of several workers) as one pcap file with nanoseconds, in order of time, `unix_origin_ns`
/// being the wall clock at Time 0. The file appears complete or not at all. Returns the number of packets;
/// throws EnvironmentError.
std::size_t write_pcap(const std::string& path, std::span<const Capture* const> captures,
                       std::uint64_t unix_origin_ns);

}  // namespace softfeb::dataplane
