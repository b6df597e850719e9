// SPDX-License-Identifier: BSD-3-Clause
// Receiver registration for applications. Determines which transfers are complete, without a message from the
// sender that says so. This is the only header that an application includes. It is installed as
// <softfeb/registration.hpp>. Link with -lsoftfeb_registration. doc/missing-data.md explains transfers and
// has an example.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace softfeb {

/// A complete transfer.
struct Notification {
  std::uint32_t source = 0;   ///< source that was passed to TransferReceiver::completed()
  std::uint32_t op = 0;       ///< number of the transfer, from 0, modulo 2^32
  std::uint64_t offset = 0;   ///< offset of the transfer's first byte in the memory
  std::uint64_t bytes = 0;    ///< length of the transfer
  std::uint64_t time_ns = 0;  ///< time at which the transfer became complete
};

/// A transfer that was abandoned after TransferSettings::entry_timeout_ns.
struct AbandonedTransfer {
  std::uint32_t source = 0;
  std::uint32_t op = 0;
  std::uint64_t offset = 0;
  std::uint32_t segments = 0;            ///< number of segments of the transfer
  std::uint32_t missing = 0;             ///< number of segments that did not arrive
  std::array<std::uint64_t, 16> mask{};  ///< bit k % 64 of word k / 64 is set if segment k has arrived
  bool arrived(std::uint32_t k) const { return (mask[k / 64] >> k % 64 & 1) != 0; }
};

struct TransferSettings {
  std::uint32_t segment_bytes = 0;  ///< length of every segment except the last of a transfer; required
  std::uint32_t segments = 1;       ///< largest number of segments of a transfer, 1 to 1024
  /// Number of senders (groups of queue pairs). Each sender numbers its own transfers.
  std::uint32_t sources = 1;
  std::uint32_t slots = 4;     ///< number of transfers of each sender that fit in memory, 1 to 2048
  std::uint32_t entries = 64;  ///< largest number of transfers in progress, at least 1
  std::uint32_t escape = 512;  ///< largest number of waiting messages (Result::kWaiting below)
  std::uint64_t escape_timeout_ns = 1'000'000'000;
  std::uint64_t entry_timeout_ns = 0;  ///< incomplete transfers are abandoned after this time; 0 means never
  std::uint32_t remember = 16;         ///< number of complete transfers whose late messages are recognized
  /// Maximum number of notifications that wait for poll(). Further notifications are lost, and counted.
  std::uint32_t notifications = 256;
};

/// Determines which transfers are complete. A sender cuts each transfer into segments and sends each segment
/// as a WRITE with the immediate op · 2^20 + (count − 1) · 2^10 + index, in any order and over any queue
/// pairs. The receiver passes the completions of these WRITEs to this object.
///
/// Segment `index` of transfer `op` of a source must be written to
/// ((source · slots + op mod slots) · segments + index) · segment_bytes from the start of the memory.
///
/// Only the constructor allocates. No function blocks. Not thread-safe: call all functions from the thread
/// that polls the completion queue, or protect them with a lock.
class TransferReceiver {
 public:
  /// Throws std::invalid_argument if a setting is out of its range.
  explicit TransferReceiver(const TransferSettings& settings);
  ~TransferReceiver();
  TransferReceiver(TransferReceiver&&) noexcept;
  TransferReceiver& operator=(TransferReceiver&&) noexcept;

  /// Result of completed().
  enum class Result : std::uint8_t {
    kPlaced,     ///< recorded as a new segment of a transfer
    kDuplicate,  ///< not recorded, because the segment had arrived before
    /// Stored, because the first segment of the transfer has not arrived, or because another transfer still
    /// uses the memory. Counted as dropped later if the message waits for longer than `escape_timeout_ns`.
    kWaiting,
    kDropped,  ///< not recorded, because `entries` transfers are in progress or `escape` messages are waiting
    /// Not recorded: the immediate, source or length is impossible, or contradicts earlier messages of the
    /// transfer.
    kRejected,
  };
  /// Call when a WRITE of `bytes` bytes with this immediate (in host byte order) has completed. `now_ns` may
  /// come from any monotonic clock.
  Result completed(std::uint32_t source, std::uint32_t immediate, std::uint32_t bytes, std::uint64_t now_ns);
  /// Applies the timeouts. completed() also applies the timeouts, so a call of advance() is needed only while
  /// no messages arrive.
  void advance(std::uint64_t now_ns);

  /// Returns the oldest notification that has not been returned yet. Never blocks.
  std::optional<Notification> poll();
  /// Returns the oldest abandoned transfer that has not been returned yet. Only the last 64 are kept. Never
  /// blocks.
  std::optional<AbandonedTransfer> poll_abandoned();

  /// Returns the size in bytes of the memory that the transfers need.
  std::uint64_t memory_bytes() const;

  struct Counters {
    std::uint64_t messages = 0;  ///< number of calls of completed()
    std::uint64_t placed = 0;    ///< number of messages that were recorded as segments of transfers
    std::uint64_t duplicate = 0;
    /// Number of messages dropped because a table was full, or because they had waited for too long.
    std::uint64_t dropped = 0;
    std::uint64_t rejected = 0;
    std::uint64_t waiting = 0;  ///< messages that are waiting now
    std::uint64_t open = 0;     ///< transfers in progress
    std::uint64_t complete = 0;
    std::uint64_t abandoned = 0;
    std::uint64_t notifications_lost = 0;  ///< notifications lost because poll() was not called often enough
  };
  Counters counters() const;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace softfeb
