// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/registration_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::roce {

struct RegistrationConfig {
  std::uint32_t packet = 0;      ///< payload bytes of each packet of an operation, except the last packet
  std::uint32_t mask_bits = 64;  ///< maximum number of packets of an operation
  std::uint32_t entries = 64;    ///< maximum number of operations in progress
  std::uint32_t escape = 64;     ///< maximum number of packets in the escape channel
  Time escape_timeout = 100 * kMicrosecond;
  Time entry_timeout = 0;       ///< maximum duration of an operation; 0 if operations are never abandoned
  std::uint32_t remember = 16;  ///< number of completed operations whose late packets are recognized
  /// Maximum number of notifications that can wait for poll(). Further notifications are lost and counted.
  std::uint32_t notifications = 256;
  /// True if senders do not announce the length of an operation. RegistrationPacket::bytes of a first packet
  /// is then `count` · `packet`, and the last packet of the operation may be shorter.
  bool open_length = false;
  /// True if RegistrationPacket::op of body packets is not known. A body packet then belongs to the entry
  /// that contains its address. Completed operations are remembered by their addresses, which must not be
  /// used again soon.
  bool by_address = false;
};

/// The properties of a packet that a Registration needs. A Registration does not access the payload; the
/// caller stores the payload.
struct RegistrationPacket {
  enum class Type : std::uint8_t { kFirst, kBody, kUnregistered };

  Type type = Type::kUnregistered;
  std::uint32_t source = 0;
  std::uint32_t op = 0;  ///< distinguishes successive uses of a buffer by one source
  std::uint64_t address = 0;
  std::uint64_t length = 0;  ///< payload bytes
  std::uint64_t count = 0;   ///< in a first packet: number of packets of the operation
  std::uint64_t bytes = 0;   ///< in a first packet: bytes of the operation
  std::uint64_t id = 0;      ///< chosen by the caller and not interpreted
};

/// Result of handling a packet.
enum class RegistrationVerdict : std::uint8_t {
  kPlaced,
  kDuplicate,
  kEscaped,        ///< the packet waits in the escape channel; another verdict follows
  kEscapeFull,     ///< the packet should wait, but the escape channel is full
  kEscapeTimeout,  ///< the packet waited in the escape channel for too long
  kTableFull,
  kConflict,  ///< the operation is registered with a different address or length
  kInvalid,
  kTooLarge,  ///< the operation has more packets than the mask has bits
  kUnregistered,
};
inline constexpr std::size_t kRegistrationVerdicts = 10;
/// Returns the verdict's name, which is a key in results: "placed", "duplicate", …
const char* name_of(RegistrationVerdict verdict);
/// True if the sender need not repeat the packet.
constexpr bool acknowledges(RegistrationVerdict v) {
  return v == RegistrationVerdict::kPlaced || v == RegistrationVerdict::kDuplicate ||
         v == RegistrationVerdict::kUnregistered;
}

/// A complete operation.
struct Notification {
  Time at = 0;  ///< time at which the last packet was placed
  std::uint32_t source = 0;
  std::uint32_t op = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Notification&) const = default;
};

struct RegistrationCounters {
  std::uint64_t packets = 0;
  std::array<std::uint64_t, kRegistrationVerdicts> verdicts{};  ///< indexed by RegistrationVerdict
  std::uint64_t registered = 0;                                 ///< operations registered
  std::uint64_t complete = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t bytes = 0;               ///< bytes written, without duplicates
  std::uint64_t notifications_lost = 0;  ///< notifications lost because poll() was not called often enough

  std::uint64_t of(RegistrationVerdict v) const { return verdicts[static_cast<std::size_t>(v)]; }
};

/// Observes a Registration. The functions are called in the order of the events. They must not call the
/// Registration.
class RegistrationObserver {
 public:
  virtual ~RegistrationObserver() = default;
  /// Called with the final verdict on a packet, which is never kEscaped.
  virtual void settled(Time, RegistrationVerdict, const RegistrationPacket&) {}
  /// Called when an operation has been registered, before settled() is called for its first packet.
  virtual void registered(Time, const RegistrationEntry&, std::span<const std::uint64_t> /*mask*/) {}
  virtual void abandoned(Time, const RegistrationEntry&, std::span<const std::uint64_t> /*mask*/) {}
};

/// Receiver registration: detects that all packets of an operation have arrived, in any order, and notifies
/// the receiver's application without a round trip to the sender. The first packet of an operation registers
/// the operation; a mask records which packets have arrived. If a packet arrives before the first packet of
/// its operation, or while another operation still uses its memory, it waits in the escape channel.
///
/// Two rules extend the published scheme (doc/published-systems.md). `op` distinguishes packets of the next
/// use of a buffer from late duplicates. The last `remember` completed operations are remembered, so that a
/// duplicate of a first packet does not register its operation again.
///
/// Sans-I/O, not thread-safe. Only the constructor allocates. Times must not decrease. The time that a packet
/// takes is bounded. This time is logarithmic in `entries` for a body packet of a registered operation, and
/// linear in `remember` for any other body packet. A packet that begins or ends an operation takes a time
/// that is linear in `entries` and `remember`, plus the time for retrying the packets in the escape channel.
class Registration {
 public:
  /// Throws std::invalid_argument if `packet`, `mask_bits` or `entries` is 0. `observer` may be null;
  /// otherwise, it must outlive this object.
  explicit Registration(const RegistrationConfig& config, RegistrationObserver* observer = nullptr,
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  /// Runs all timers due at or before `now`, then handles a packet.
  RegistrationVerdict packet(Time now, const RegistrationPacket& p);
  /// Runs all timers due at or before `now`.
  void advance(Time now);
  /// Time of the next timer; kNever if there is none.
  Time next_event() const;

  /// Returns the oldest notification that has not been returned yet. Never blocks.
  std::optional<Notification> poll();

  const RegistrationConfig& config() const { return config_; }
  const RegistrationCounters& counters() const { return counters_; }
  /// Number of operations in progress; entry(0) is the oldest.
  std::size_t open() const { return table_.size(); }
  const RegistrationEntry& entry(std::size_t k) const { return table_.at(table_.oldest(k)); }
  std::span<const std::uint64_t> mask(std::size_t k) const { return table_.mask(table_.oldest(k)); }
  /// Number of packets in the escape channel; waiting(0) is the oldest.
  std::size_t waiting() const { return waiting_.size(); }
  const RegistrationPacket& waiting(std::size_t k) const { return waiting_[k].packet; }
  /// Memory in bytes of an object with this configuration: the sum of all allocations.
  static std::size_t memory_bytes(const RegistrationConfig& config);

 private:
  struct Waiting {
    Time deadline = 0;
    RegistrationPacket packet;
  };

  RegistrationVerdict take(Time now, const RegistrationPacket& p);
  RegistrationVerdict take_first(Time now, const RegistrationPacket& p);
  RegistrationVerdict take_body(Time now, const RegistrationPacket& p);
  RegistrationVerdict place(Time now, std::uint32_t slot, const RegistrationPacket& p);
  bool well_formed(const RegistrationPacket& first) const;
  void complete(Time now, std::uint32_t slot);
  void abandon(Time now);
  void settle(Time now, const RegistrationPacket& p, RegistrationVerdict verdict);
  void retry_waiting(Time now);
  bool remembered(const RegistrationPacket& p) const;
  void remember(const RegistrationEntry& e);

  RegistrationConfig config_;
  RegistrationObserver* observer_;
  RegistrationTable table_;
  std::pmr::vector<Waiting> waiting_;
  /// Ring of completed operations, as source · 2^32 + op or, with `by_address`, as addresses.
  std::pmr::vector<std::uint64_t> done_;
  std::pmr::vector<std::uint64_t> done_bytes_;  ///< with `by_address`: length of each operation in done_
  std::size_t done_next_ = 0;
  std::pmr::vector<Notification> notifications_;  ///< ring of notifications that wait for poll()
  std::size_t notified_first_ = 0;
  std::size_t notified_ = 0;
  /// True if an operation began or ended, so that packets in the escape channel may be placed. Other events
  /// cannot change the verdict on a waiting packet.
  bool changed_ = false;
  RegistrationCounters counters_;
};

}  // namespace softfeb::roce
