// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/registration.hpp"

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

namespace softfeb::roce {

/// Where the segments of transfers are. Segment `index` of transfer `op` of a source is at
/// ((source · slots + op mod slots) · segments + index) · packet from the start of the memory.
struct TransferLayout {
  std::uint32_t sources = 1;
  std::uint64_t slots = 4;     ///< transfers of a source in memory, 1 to kMostSlots
  std::uint32_t segments = 1;  ///< most segments of a transfer, 1 to TransferImmediate::kMostSegments
  /// The immediate has 12 bits of `op`, which must tell the transfers in memory apart.
  static constexpr std::uint64_t kMostSlots = 2048;

  /// Bytes of memory. `packet`: bytes of a segment.
  constexpr std::uint64_t memory(std::uint32_t packet) const {
    return sources * slots * segments * std::uint64_t{packet};
  }
};

/// Registration table for completed WRITEs with immediate whose address is not known, as completion queues
/// report them: the immediate (TransferImmediate) names the segment, and the layout its address. Numbers of
/// transfers are unwrapped: those in notifications count from 0, modulo 2^32 instead of 4096.
///
/// Sans-I/O, not thread-safe. Only the constructor allocates.
class TransferTable {
 public:
  /// `config.packet` is the length of each segment but the last of a transfer; `config.open_length` is set.
  /// `observer` (null: none) must outlive this object. Throws std::invalid_argument.
  TransferTable(const TransferLayout& layout, const RegistrationConfig& config,
                RegistrationObserver* observer = nullptr,
                std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  /// A WRITE of `length` bytes with this immediate has completed. Empty if the immediate, the source or the
  /// length is impossible; such messages are counted, and change nothing else.
  std::optional<RegistrationVerdict> message(Time now, std::uint32_t source, std::uint32_t immediate,
                                             std::uint64_t length);
  /// Runs all timers due at or before `now`.
  void advance(Time now) { table_.advance(now); }
  Time next_event() const { return table_.next_event(); }
  /// The oldest notification that was not yet returned. Never blocks.
  std::optional<Notification> poll() { return table_.poll(); }

  const TransferLayout& layout() const { return layout_; }
  const Registration& table() const { return table_; }
  std::uint64_t rejected() const { return rejected_; }  ///< messages for which message() was empty

 private:
  TransferLayout layout_;
  Registration table_;
  std::pmr::vector<std::uint64_t> newest_;  ///< highest number of a transfer, by source
  std::uint64_t rejected_ = 0;
};

}  // namespace softfeb::roce
