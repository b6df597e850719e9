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

/// What tells which message a message is.
enum class MessageNumbering : std::uint8_t {
  kNone,       ///< nothing: messages are counted, not mapped
  kLayout,     ///< the packet's number and the layout: messages of a known length
  kImmediate,  ///< the immediate counts messages up from `first_immediate`, modulo 2^32
};

struct ReceiveQpConfig {
  ResponderConfig responder{};
  std::optional<MessageLayout> layout;  ///< how the sender cuts its stream; needed by `expected` and kLayout
  const PayloadStream* expected = nullptr;  ///< what should arrive (outlives the QP); null: not compared
  bool check_continuity = false;            ///< follow the firmware's byte counter
  MessageNumbering numbering = MessageNumbering::kNone;
  std::uint32_t first_immediate = 0;
  std::size_t map_capacity = 64;  ///< ranges of missing messages remembered
};

/// A receiving queue pair with everything that judges what it receives: responder, payload check, map of
/// missing messages, notification point. Sans-I/O, not thread-safe, no allocation after construction.
class ReceiveQp {
 public:
  struct Outcome {
    RequestOutcome request;
    bool send_cnp = false;  ///< to the requester's QP (config().dest_qpn)
  };

  /// `regions` as for Responder; `notification` (null: none) outlives the QP, which uses the slot that
  /// attach() gave. Throws std::invalid_argument when `expected` or kLayout comes without a layout.
  ReceiveQp(const ReceiveQpConfig& config, const std::vector<MemoryRegion>& regions,
            NotificationPoint* notification = nullptr, NotificationPoint::Slot slot = 0);

  /// A request for this QP (iCRC right, peer verified).
  Outcome on_request(const ReceivedRequest& request, Time now);

  /// The quick way of on_request(), as Responder::awaits() has it; not for packets that a switch marked.
  bool awaits(const QuickWrite& packet) const {
    return responder_.awaits(packet) && !config_.check_continuity;
  }
  /// Fetches, ahead, the first lines of where the payload of a packet that awaits() will be placed.
  void claim_place(const QuickWrite& packet) const;
  /// Takes a packet that awaits().
  Responder::Quick take(const QuickWrite& packet);

  /// Fetches what take() needs.
  void prefetch() const {
    softfeb::prefetch(this, kHotLines);
    softfeb::prefetch(&check_);
  }

  /// Judges on where `before`, the QP that stood in this one's place, ended: its figures (those of its
  /// responder apart) are this one's too. `counter_goes_on`: so does the byte counter; else some of it is
  /// known not to have been sent.
  void continue_from(const ReceiveQp& before, bool counter_goes_on);

  /// See Responder::change_regions().
  template <typename Change>
  void change_regions(Change&& change) {
    responder_.change_regions(std::forward<Change>(change));
  }

  /// `messages` were sent (kLayout, kImmediate): what has not come by now is missing.
  void finish(std::uint64_t messages) { map_.finish(messages); }

  void post_receives(std::uint64_t n) { responder_.post_receives(n); }

  const Responder& responder() const { return responder_; }
  const ReceiveQpConfig& config() const { return config_; }
  const MessageMap& map() const { return map_; }
  const std::optional<PayloadCheck>& payload_check() const { return check_; }
  const ContinuityCheck& continuity() const { return continuity_; }  ///< idle unless asked for
  std::uint64_t congestion_experienced() const { return marked_; }   ///< CE-marked requests
  /// Messages that were not as long as the layout has them, or whose immediate stands for no message.
  std::uint64_t unexpected_messages() const { return unexpected_; }
  /// Payload bytes not equal to what was expected, by whichever check is on (a break of continuity counts
  /// one).
  std::uint64_t bytes_wrong() const { return (check_ ? check_->wrong() : 0) + continuity_.breaks(); }

 private:
  static constexpr unsigned kHotLines = 4;
  /// As many as a core asks for at one time. More of them would wait for each other, and the hardware, which
  /// sees by these where the payload goes, asks for the rest by itself.
  static constexpr unsigned kPlaceLines = 16;

  void check(const PlacedPayload& payload, std::uint64_t index);
  void note(const MessageEvent& message, std::uint64_t index);
  void store(const Segments& bytes, std::uint8_t* to, std::uint64_t index);
  const MessageLayout::Place& locate(std::uint64_t index);

  // What each packet needs stands together: prefetch().
  MessageLayout::Place place_;  ///< of packet place_index_
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
