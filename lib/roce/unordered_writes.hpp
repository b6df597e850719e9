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
  std::uint32_t pmtu = 4096;     ///< path MTU of all queue pairs
  std::uint32_t packets = 1024;  ///< most packets of a WRITE; longer ones are not accepted
  std::uint32_t entries = 256;   ///< WRITEs in progress, of all queue pairs
  std::uint32_t escape = 256;    ///< packets that wait for the first packet of their WRITE
  Time timeout = kMillisecond;   ///< for packets that wait, and for incomplete WRITEs
  std::uint32_t remember = 256;  ///< complete WRITEs whose late packets are recognized
};

/// Takes what UnorderedWrites accepts. `qp`: number of the queue pair. Must not call it back.
class UnorderedSink {
 public:
  virtual ~UnorderedSink() = default;
  /// Region that holds all of a WRITE that begins; null, and counted: it must not be written.
  virtual const MemoryRegion* admit(std::uint32_t qp, const Reth& reth) = 0;
  /// Packet `index` carries `bytes`, which must be written to `to` (null: they are not stored).
  virtual void place(std::uint32_t qp, std::uint64_t index, const Segments& bytes, std::uint8_t* to) = 0;
  /// A WRITE is complete; packet `index` is its last one.
  virtual void complete(std::uint32_t qp, std::uint64_t index, const MessageEvent& message) = 0;
  /// A WRITE was abandoned after `bytes` of its bytes had been placed.
  virtual void abandoned(std::uint32_t qp, std::uint32_t bytes) = 0;
  /// A packet was neither placed nor is it a duplicate.
  virtual void dropped(std::uint32_t qp, RegistrationVerdict verdict) = 0;
  virtual void duplicate(std::uint32_t qp) = 0;
};

/// WRITEs over UC whose packets arrive in any order: the registration table, applied to the packets of one
/// WRITE. FIRST registers the WRITE, packet k follows it at a distance of k PSNs, and MIDDLE and LAST wait
/// for FIRST. A packet thus does no harm by being late, and a WRITE is complete when all its packets have
/// arrived.
///
/// Sans-I/O, not thread-safe. Only the constructor allocates. Times must not decrease.
class UnorderedWrites final : private RegistrationObserver {
 public:
  static constexpr std::uint32_t kMostQps = 4096;

  /// `sink` must outlive this object. Throws std::invalid_argument, see Registration.
  UnorderedWrites(const UnorderedConfig& config, UnorderedSink& sink);
  UnorderedWrites(const UnorderedWrites&) = delete;
  UnorderedWrites& operator=(const UnorderedWrites&) = delete;

  /// Runs all timers due at or before `now`, then takes packet `index` of a queue pair (ArrivalWindow). `qp`
  /// is below kMostQps; the request is for this queue pair, and its iCRC was verified.
  void packet(Time now, std::uint32_t qp, std::uint64_t index, const ReceivedRequest& request);
  /// Runs all timers due at or before `now`.
  void advance(Time now);
  /// Time of the next timer; kNever if there is none.
  Time next_event() const { return table_.next_event(); }

  const Registration& table() const { return table_; }

 private:
  /// What a packet carries besides its payload.
  struct Content {
    bool begins = false, ends = false, solicited = false, has_immediate = false;
    std::uint32_t immediate = 0;
    const MemoryRegion* region = nullptr;
    Reth reth{};  ///< of a packet that begins
  };
  struct Stored {
    Content content;
    std::uint32_t length = 0;
  };
  /// A WRITE in progress.
  struct Write {
    bool used = false;
    bool broken = false;  ///< a packet ends the WRITE in its middle, or its last packet does not
    std::uint32_t qp = 0;
    std::uint32_t count = 0;
    std::uint32_t packets = 0;  ///< packets placed
    std::uint32_t placed = 0;   ///< bytes
    std::uint64_t first = 0;    ///< index of its first packet
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
  std::vector<std::uint8_t> bytes_;           ///< their payload
  std::vector<std::uint32_t> free_;           ///< unused elements of stored_
  const ReceivedRequest* current_ = nullptr;  ///< the packet that has just arrived
  Content current_content_;
  std::uint64_t current_id_ = 0;
  std::size_t latest_ = 0;  ///< element of writes_ that find() has found last
};

}  // namespace softfeb::roce
