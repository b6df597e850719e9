// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "base/time.hpp"
#include "engine/port_options.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace softfeb::dataplane {

using engine::CaptureMode;

struct CaptureConfig {
  CaptureMode mode = CaptureMode::kFirst;
  std::uint32_t packets = 10'000;
  std::uint32_t snap_length = 65'535;  ///< maximum number of bytes kept per packet
  std::uint32_t frame_bytes = 4'300;   ///< longest frame in bytes; limits the memory per packet
};

/// Records a worker's packets into memory that is allocated and faulted in at construction, so record() makes
/// no system call and no allocation. Another thread may read the packets and write them to a file after the
/// worker has stopped recording.
class Capture {
 public:
  explicit Capture(const CaptureConfig& config);

  /// False when recording is complete; record() need not be called then.
  bool wants() const { return left_ != 0; }
  void record(Time now, const Segments& frame);
  /// With kOnError, records another quarter of the capacity, and then stops. Further calls have no effect.
  void trigger();
  bool triggered() const { return triggered_; }

  /// Number of packets kept. With kOnError, 0 until trigger() is called.
  std::size_t size() const { return config_.mode == CaptureMode::kOnError && !triggered_ ? 0 : count_; }
  struct Packet {
    Time time;
    std::uint32_t original_length;
    ByteSpan bytes;
  };
  /// Returns kept packet `i`, counted from 0 for the oldest one. Its bytes belong to this object.
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
  std::size_t next_ = 0;   ///< index of the next slot to write
  std::size_t count_ = 0;  ///< number of slots in use
  std::uint64_t left_;     ///< number of packets still to record; UINT64_MAX means no limit
  bool triggered_ = false;
};

/// Writes the captures of several workers to one pcap file with nanosecond time stamps, sorted by time.
/// `unix_origin_ns` is the wall-clock time at Time 0. The file is written under a temporary name and renamed
/// when complete. Returns the number of packets. Throws EnvironmentError.
std::size_t write_pcap(const std::string& path, std::span<const Capture* const> captures,
                       std::uint64_t unix_origin_ns);

}  // namespace softfeb::dataplane
