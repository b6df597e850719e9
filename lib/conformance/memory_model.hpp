// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/case.hpp"
#include "conformance/result.hpp"
#include "conformance/script_packet.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace softfeb::conformance {

/// The required contents of the first region after a part: the payload of all packets that the target must
/// have written, and guard bytes (kGuard) everywhere else.
class MemoryModel {
 public:
  static constexpr std::uint64_t kMostRead = 65'536;  ///< maximum length of a range in bytes

  /// A packet that was sent, with the queue pair from which it came.
  struct Sent {
    std::uint32_t qp = 0;
    roce::Psn psn = 0;
    bool write = false;    ///< an RDMA WRITE
    bool dropped = false;  ///< the target must drop it
    std::uint32_t region = 0;
    std::uint64_t offset = 0;
    std::vector<std::uint8_t> payload;
  };

  explicit MemoryModel(std::uint64_t region_size) : region_size_(region_size) {}

  /// Call before the first packet of queue pair `qp`. `first` is its first PSN.
  void open(std::uint32_t qp, roce::Psn first);
  void sent(const ScriptPacket& packet, std::uint32_t qp, bool dropped);
  /// Records that the target has refused `psn` because no receive was posted, and has dropped the packets
  /// after it.
  void refused(std::uint32_t qp, roce::Psn psn);
  /// Records that the target has acknowledged all packets of `qp` up to `psn`. With
  /// WrittenSpec::Kind::kAcknowledged, the payloads of these packets must be in memory.
  void acknowledged(std::uint32_t qp, roce::Psn psn);
  std::size_t packets() const { return sent_.size(); }

  /// A range of the first region. ranges() returns the ranges to read for a check, in ascending order: the
  /// bytes that the packets could have written, and kMargin bytes before and after them. No range is longer
  /// than kMostRead.
  struct Range {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };
  std::vector<Range> ranges() const;
  /// Returns the required bytes of `range`. Sets `tolerated` to 1 for each byte that may have another value,
  /// and to 0 for all others.
  std::vector<std::uint8_t> expected(const Range& range, const WrittenSpec& written,
                                     std::vector<std::uint8_t>& tolerated) const;
  /// Compares `found`, the bytes in the target's memory at `range`, with the required ones. Appends a
  /// difference to `out` for each sequence of wrong bytes, up to 16 in total.
  void compare(const Range& range, const WrittenSpec& written, const std::vector<std::uint8_t>& found,
               std::vector<MemoryDifference>& out) const;

 private:
  static constexpr std::uint64_t kMargin = 64;

  struct Qp {
    roce::Psn expected = 0;  ///< PSN that the target expects next
    /// Indices into sent_ of the packets that had the expected PSN and are not acknowledged yet, ordered by
    /// PSN.
    std::deque<std::size_t> accepted;
  };

  enum class Fate : std::uint8_t { kWritten, kTolerated, kRefused };
  /// Tells whether the payload of packet `i` must be, may be or must not be in memory. A packet that is not
  /// completely inside the region must not be written.
  Fate fate(std::size_t i, const WrittenSpec& written) const;
  bool inside(const Sent& s) const;
  Range around(const Sent& s) const;
  static std::vector<Range> split(const std::vector<Range>& ranges);
  /// Describes why the byte `found` at `offset` is wrong; empty if no packet explains it.
  std::string explain(std::uint64_t offset, std::uint8_t found, const WrittenSpec& written) const;

  std::uint64_t region_size_;
  std::vector<Sent> sent_;
  std::vector<Qp> qps_;
  std::vector<std::uint8_t> acknowledged_;  ///< 1 for each packet that was acknowledged; indexed like sent_
};

}  // namespace softfeb::conformance
