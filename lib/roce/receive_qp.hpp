// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/prefetch.hpp"
#include "base/time.hpp"
#include "roce/continuity_check.hpp"
#include "roce/message_layout.hpp"
#include "roce/message_map.hpp"
#include "roce/notification_point.hpp"
#include "roce/payload_check.hpp"
#include "roce/responder.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::roce {

/// Method of determining the number of a received message.
enum class MessageNumbering : std::uint8_t {
  kNone,  ///< messages are counted, but their numbers are not determined
  /// The number is derived from the packet number and the layout, which requires known message lengths.
  kLayout,
  /// The number is derived from the immediate, a message counter modulo 2^32 that starts at
  /// `first_immediate`.
  kImmediate,
};

/// If the memory of all receivers of a core has at most this many bytes, it is assumed to stay in the core's
/// caches.
inline constexpr std::uint64_t kCachedMemory = 8ULL << 20;

struct ReceiveQpConfig {
  ResponderConfig responder{};
  /// Layout of the sender's messages in its stream; required by `expected` and kLayout.
  std::optional<MessageLayout> layout;
  /// Stream with which the payload is compared; must outlive the QP. If this is null, the payload is not
  /// compared.
  const PayloadStream* expected = nullptr;
  /// True if the memory of all receivers of this core has at most kCachedMemory bytes. The payload is then
  /// stored in the same pass that computes its CRC. This pass reads the old content of the memory, so that
  /// the content can be restored if the CRC is wrong. If the memory is not cached, reading the old content
  /// would be slow. The payload is therefore stored after the check or, if the iCRC is known to be right,
  /// with stores that bypass the caches.
  bool memory_is_cached = false;
  bool check_continuity = false;  ///< apply a ContinuityCheck to the payload
  MessageNumbering numbering = MessageNumbering::kNone;
  std::uint32_t first_immediate = 0;
  std::size_t map_capacity = 64;  ///< maximum number of ranges of missing messages in the map
};

/// The receive half of a queue pair and its checks: responder, payload check, map of missing messages,
/// notification point. Sans-I/O, not thread-safe, no allocation after construction.
class ReceiveQp {
 public:
  struct Outcome {
    RequestOutcome request;
    bool send_cnp = false;  ///< send a CNP to the requester's QP (config().responder.dest_qpn)
  };

  /// `regions` has the same requirements as for Responder. `notification` may be null; otherwise, it must
  /// outlive the QP, and `slot` is the slot that notification->attach() returned. Throws
  /// std::invalid_argument if `expected` or kLayout is set without a layout.
  ReceiveQp(const ReceiveQpConfig& config, const std::vector<MemoryRegion>& regions,
            NotificationPoint* notification = nullptr, NotificationPoint::Slot slot = 0);

  /// Handles a request for this QP. The caller must have verified its iCRC and peer.
  Outcome on_request(const ReceivedRequest& request, Time now);

  /// Fast path of on_request() (see Responder::awaits()). Must not be used for CE-marked packets.
  bool awaits(const QuickWrite& packet) const {
    return responder_.awaits(packet) && !config_.check_continuity;
  }
  struct Stored {
    bool icrc_matches = false;
    bool as_expected = false;  ///< the payload was compared with the expected stream and is equal to it
  };
  /// Checks the iCRC of a packet for which awaits() is true, compares its payload and stores it, in one pass.
  /// If the iCRC is wrong, the memory is the same as before the call.
  Stored store_checked(const QuickWrite& packet);
  /// Same as store_checked(), for a packet whose iCRC is known to be right (ParsedFrame::icrc_right).
  Stored store_known(const QuickWrite& packet);
  /// Processes a packet whose iCRC matches. `stored` is the result of store_checked() or store_known().
  Responder::Quick take(const QuickWrite& packet, Stored stored);

  /// Prefetches the data that take() needs.
  void prefetch() const {
    softfeb::prefetch(this, kHotLines);
    softfeb::prefetch(&check_);
  }

  /// Call on a QP that replaces the QP `before`. Takes over the byte counter check and the counts of CE marks
  /// and unexpected messages. Does not take over the responder counters, the payload check and the message
  /// map. If `counter_goes_on` is false, bytes are missing between the two QPs, so the byte counter check
  /// accepts any value as the next byte.
  void continue_from(const ReceiveQp& before, bool counter_goes_on);

  /// To be called by the UnorderedSink of a responder with `any_order`. place() handles the payload of a
  /// packet, and complete() a complete message. complete() returns false if no receive request is posted for
  /// the message, which is then lost.
  void place(const Segments& bytes, std::uint8_t* to, std::uint64_t index);
  bool complete(const MessageEvent& message, std::uint64_t index);

  /// See Responder::change_regions().
  template <typename Change>
  void change_regions(Change&& change) {
    responder_.change_regions(std::forward<Change>(change));
  }

  /// Call after the sender has finished. `messages` is the number of messages that the sender has sent. Marks
  /// the messages that have not arrived as missing. With kNone, no arrivals are recorded, so map() then
  /// reports all messages as missing.
  void finish(std::uint64_t messages) { map_.finish(messages); }

  void post_receives(std::uint64_t n) { responder_.post_receives(n); }

  const Responder& responder() const { return responder_; }
  Responder& responder() { return responder_; }
  const ReceiveQpConfig& config() const { return config_; }
  const MessageMap& map() const { return map_; }
  const std::optional<PayloadCheck>& payload_check() const { return check_; }
  const ContinuityCheck& continuity() const { return continuity_; }  ///< used only with check_continuity
  std::uint64_t congestion_experienced() const { return marked_; }   ///< CE-marked requests
  /// Messages whose length does not match the layout, or, with kImmediate, whose immediate is missing or not
  /// a valid message number.
  std::uint64_t unexpected_messages() const { return unexpected_; }
  /// Number of payload bytes that failed the payload check, plus the number of breaks found by the byte
  /// counter check.
  std::uint64_t bytes_wrong() const { return (check_ ? check_->wrong() : 0) + continuity_.breaks(); }

  /// Copies counters, checks and the map to or from the same QP in another process (base/archive.hpp). The
  /// copy must not receive further packets.
  template <class Archive>
  void archive(Archive& a) {
    responder_.archive(a);
    if (check_) check_->archive(a);
    a.item(continuity_);
    map_.archive(a);
    a.item(marked_);
    a.item(unexpected_);
  }

 private:
  static constexpr unsigned kHotLines = 4;
  /// Number of cache lines of the destination to prefetch if the payload is stored after the check. The
  /// hardware prefetcher recognizes the sequence and fetches the rest.
  static constexpr unsigned kPlaceLines = 32;

  void claim_place(const std::uint8_t* to, std::size_t bytes) const;
  void check(const PlacedPayload& payload, std::uint64_t index);
  void note(const MessageEvent& message, std::uint64_t index);
  void store(const Segments& bytes, std::uint8_t* to, std::uint64_t index);
  const std::uint8_t* expected(const QuickWrite& packet);
  const MessageLayout::Place& locate(std::uint64_t index);

  // Members that every packet needs are adjacent (see prefetch()).
  MessageLayout::Place place_;  ///< place of packet place_index_
  std::uint64_t place_index_ = 0;
  std::uint64_t next_index_ = 0;
  bool located_ = false;
  Responder responder_;
  std::optional<PayloadCheck> check_;
  ReceiveQpConfig config_;
  NotificationPoint* notification_;
  NotificationPoint::Slot slot_;
  ContinuityCheck continuity_;
  MessageMap map_;
  std::uint64_t marked_ = 0;
  std::uint64_t unexpected_ = 0;
};

}  // namespace softfeb::roce
