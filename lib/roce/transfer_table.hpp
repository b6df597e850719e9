// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/registration.hpp"

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

namespace softfeb::roce {

/// Defines where the segments of transfers are in memory. Segment `index` of transfer `op` of a source is at
/// ((source · slots + op mod slots) · segments + index) · packet from the start of the memory.
struct TransferLayout {
  std::uint32_t sources = 1;
  std::uint64_t slots = 4;  ///< transfers of each source that fit in memory, 1 to kMostSlots
  /// Largest number of segments of a transfer, 1 to TransferImmediate::kMostSegments.
  std::uint32_t segments = 1;
  /// The immediate contains only the low 12 bits of `op`. The full number is the one that is nearest to the
  /// newest transfer, so a source may have at most half of the 2^12 numbers in memory.
  static constexpr std::uint64_t kMostSlots = 2048;

  /// Size of the memory in bytes. `packet` is the size of a segment in bytes.
  constexpr std::uint64_t memory(std::uint32_t packet) const {
    return sources * slots * segments * std::uint64_t{packet};
  }
};

/// Registration table for completed WRITEs with immediate. Completion queues do not report the address of a
/// WRITE. Therefore the immediate (TransferImmediate) identifies the segment, and the layout gives its
/// address. Transfer numbers have 12 bits in the immediate, and are extended to 32 bits in notifications.
///
/// Sans-I/O, not thread-safe. Only the constructor allocates.
class TransferTable {
 public:
  /// `config.packet` is the length of every segment except the last of a transfer. `config.open_length` is
  /// always treated as true. `observer` may be null; otherwise, it must outlive this object. Throws
  /// std::invalid_argument if a number is out of its range.
  TransferTable(const TransferLayout& layout, const RegistrationConfig& config,
                RegistrationObserver* observer = nullptr,
                std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  /// Call when a WRITE of `length` bytes with this immediate has completed. Returns nullopt if the immediate,
  /// the source or the length is impossible. Such a message is counted, but changes nothing else.
  std::optional<RegistrationVerdict> message(Time now, std::uint32_t source, std::uint32_t immediate,
                                             std::uint64_t length);
  /// Runs all timers due at or before `now`.
  void advance(Time now) { table_.advance(now); }
  Time next_event() const { return table_.next_event(); }
  /// Returns the oldest notification that has not been returned yet. Never blocks.
  std::optional<Notification> poll() { return table_.poll(); }

  const TransferLayout& layout() const { return layout_; }
  const Registration& table() const { return table_; }
  std::uint64_t rejected() const { return rejected_; }  ///< messages for which message() returned nullopt

 private:
  TransferLayout layout_;
  Registration table_;
  std::pmr::vector<std::uint64_t> newest_;  ///< highest transfer number of each source
  std::uint64_t rejected_ = 0;
};

}  // namespace softfeb::roce
