// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "roce/packet.hpp"
#include "roce/registration.hpp"
#include "roce/responder.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::roce {

struct UnorderedConfig {
  std::uint32_t pmtu = 4096;     ///< path MTU of all queue pairs, in bytes
  std::uint32_t packets = 1024;  ///< largest number of packets of a WRITE; longer WRITEs are not accepted
  std::uint32_t entries = 256;   ///< largest number of WRITEs in progress on all queue pairs
  std::uint32_t escape = 256;    ///< largest number of packets that wait for the first packet of their WRITE
  Time timeout = kMillisecond;   ///< time after which waiting packets and incomplete WRITEs are dropped
  std::uint32_t remember = 256;  ///< number of complete WRITEs whose late packets are recognized
};

/// Receives the packets and WRITEs that UnorderedWrites accepts. `qp` is the number of the queue pair. The
/// functions must not call UnorderedWrites.
class UnorderedSink {
 public:
  virtual ~UnorderedSink() = default;
  /// Called for every FIRST or ONLY packet of a WRITE that is not empty, even for a duplicate. Returns the
  /// region that contains the whole WRITE. If there is none, counts the error and returns null.
  virtual const MemoryRegion* admit(std::uint32_t qp, const Reth& reth) = 0;
  /// Called when packet `index` was accepted. The payload `bytes` of the packet must be written to `to`,
  /// unless `to` is null.
  virtual void place(std::uint32_t qp, std::uint64_t index, const Segments& bytes, std::uint8_t* to) = 0;
  /// Called when a WRITE is complete. `index` is the index of its last packet.
  virtual void complete(std::uint32_t qp, std::uint64_t index, const MessageEvent& message) = 0;
  /// Called when a WRITE was abandoned after `bytes` of its bytes had been placed.
  virtual void abandoned(std::uint32_t qp, std::uint32_t bytes) = 0;
  /// Called for a packet that was not placed and is not a duplicate, and once for an abandoned WRITE whose
  /// packets contradict each other.
  virtual void dropped(std::uint32_t qp, RegistrationVerdict verdict) = 0;
  virtual void duplicate(std::uint32_t qp) = 0;
};

/// Accepts WRITEs over UC whose packets arrive in any order, by means of a registration table in which each
/// WRITE is an operation. The FIRST packet registers the WRITE. The PSN of packet k is the PSN of FIRST plus
/// k. MIDDLE and LAST packets that arrive before FIRST wait for it. The order of arrival therefore does not
/// matter, and a WRITE is complete when all its packets have arrived.
///
/// Sans-I/O, not thread-safe. Only the constructor allocates. Times must not decrease.
class UnorderedWrites final : private RegistrationObserver {
 public:
  static constexpr std::uint32_t kMostQps = 4096;

  /// `sink` must outlive this object. Throws std::invalid_argument, as Registration does.
  UnorderedWrites(const UnorderedConfig& config, UnorderedSink& sink);
  UnorderedWrites(const UnorderedWrites&) = delete;
  UnorderedWrites& operator=(const UnorderedWrites&) = delete;

  /// Runs all timers due at or before `now`, then handles packet `index` of a queue pair (ArrivalWindow
  /// provides the index). `qp` must be below kMostQps. `request` must be for this queue pair, and its iCRC
  /// must have been verified.
  void packet(Time now, std::uint32_t qp, std::uint64_t index, const ReceivedRequest& request);
  /// Runs all timers due at or before `now`.
  void advance(Time now);
  /// Time of the next timer; kNever if there is none.
  Time next_event() const { return table_.next_event(); }

  const Registration& table() const { return table_; }

 private:
  /// The content of a packet, without its payload.
  struct Content {
    bool begins = false, ends = false, solicited = false, has_immediate = false;
    std::uint32_t immediate = 0;
    const MemoryRegion* region = nullptr;
    Reth reth{};  ///< valid if `begins` is true
  };
  struct Stored {
    Content content;
    std::uint32_t length = 0;
  };
  /// A WRITE in progress.
  struct Write {
    bool used = false;
    /// The packets contradict the length of the WRITE: a packet before the last is a LAST, or the last packet
    /// is not a LAST.
    bool broken = false;
    std::uint32_t qp = 0;
    std::uint32_t count = 0;
    std::uint32_t packets = 0;  ///< number of packets placed
    std::uint32_t placed = 0;   ///< number of bytes placed
    std::uint64_t first = 0;    ///< index of the WRITE's first packet
    const MemoryRegion* region = nullptr;
    MessageEvent message;
  };

  void settled(Time at, RegistrationVerdict verdict, const RegistrationPacket& p) override;
  void abandoned(Time at, const RegistrationEntry& entry, std::span<const std::uint64_t> mask) override;
  Content content_of(std::uint32_t qp, const ReceivedRequest& request) const;
  RegistrationPacket describe(std::uint32_t qp, std::uint64_t index, const Content& content,
                              std::size_t length) const;
  void place(const RegistrationPacket& p, const Content& content, const Segments& bytes);
  void begin(const RegistrationPacket& p, const Content& content);
  Write* find(std::uint32_t qp, std::uint64_t index);
  void finish(Write& w);
  std::uint64_t index_of(std::uint64_t address) const;
  std::uint8_t* room(std::size_t slot) { return bytes_.data() + slot * config_.pmtu; }

  UnorderedConfig config_;
  UnorderedSink& sink_;
  Registration table_;
  std::vector<Write> writes_;
  std::vector<Stored> stored_;                ///< packets in the escape channel
  std::vector<std::uint8_t> bytes_;           ///< payload of the packets in stored_
  std::vector<std::uint32_t> free_;           ///< unused elements of stored_
  const ReceivedRequest* current_ = nullptr;  ///< the packet that has just arrived
  Content current_content_;
  std::uint64_t current_id_ = 0;
  std::size_t latest_ = 0;  ///< index of the element of writes_ that find() returned last
};

}  // namespace softfeb::roce
