// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "roce/arrival_window.hpp"
#include "roce/headers.hpp"
#include "roce/packet.hpp"
#include "roce/quick_write.hpp"
#include "roce/work.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::roce {

/// Registered memory: the remote addresses [address, address + length) under `rkey`, which no other region
/// has. `data` may be null for a region that is checked but not stored (payload discarded after checking).
/// Does not own the memory.
struct MemoryRegion {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint32_t rkey = 0;
  std::uint8_t* data = nullptr;

  /// Where `va`, which lies inside, is kept; null: nowhere.
  std::uint8_t* at(std::uint64_t va) const { return data == nullptr ? nullptr : data + (va - address); }
  /// All of [va, va + size) lies inside. No sum of hostile numbers is formed, so none can overflow.
  bool holds(std::uint64_t va, std::uint64_t size) const {
    return va >= address && size <= length && va - address <= length - size;
  }
};

inline constexpr std::uint64_t kUnlimitedReceives = UINT64_MAX;

struct ResponderConfig {
  Transport transport = Transport::kRc;
  Qpn qpn = 0;
  Qpn dest_qpn = 0;  ///< the requester's: where acknowledgements go
  std::uint16_t pkey = kDefaultPkey;
  std::uint32_t pmtu = 4096;
  Psn expected_psn = 0;         ///< of the first packet
  std::uint8_t rnr_timer = 12;  ///< code in our RNR NAKs
  /// Receive requests at the start; kUnlimitedReceives = never out of them.
  std::uint64_t receives = kUnlimitedReceives;
};

struct ResponderCounters {
  std::uint64_t packets = 0;          ///< requests handed in, whatever became of them
  std::uint64_t payload_bytes = 0;    ///< placed (duplicates not)
  std::uint64_t messages = 0;         ///< complete ones
  std::uint64_t completed_bytes = 0;  ///< payload of complete messages
  std::uint64_t immediates = 0;       ///< of them with immediate
  std::uint64_t duplicate = 0;        ///< seen before; not placed again
  std::uint64_t out_of_order = 0;  ///< RC: dropped behind a gap; UC: came later than a packet sent after it
  std::uint64_t missing_packets =
      0;  ///< UC: PSNs passed over that have not come (late ones are taken off again)
  /// UC: messages known to have lost a packet, at least; messages lost whole show only in the map of missing
  /// messages.
  std::uint64_t missing_messages = 0;
  std::uint64_t discarded = 0;  ///< UC: arrived, of no use, since a packet before them in the message did not
  std::uint64_t access_errors = 0;     ///< wrong rkey or outside the region
  std::uint64_t invalid_requests = 0;  ///< length, pad, opcode or their order
  std::uint64_t no_receive = 0;        ///< immediate without a receive request
  std::uint64_t ack_tx = 0, nak_sequence_tx = 0, nak_error_tx = 0, rnr_tx = 0;
  std::uint64_t ignored = 0;  ///< in ERR, of another service, partition or version, or a response

  ResponderCounters& operator+=(const ResponderCounters& o);
};

/// Acknowledgement to be sent to the requester (already the right PSN and MSN).
struct Reply {
  Aeth aeth{};
  Psn psn = 0;
};

/// A message came to its end: what the receiving application sees.
struct MessageEvent {
  std::uint64_t address =
      0;  ///< remote address of its first byte (0 for an empty message's, which checks none)
  std::uint32_t length = 0;
  bool has_immediate = false;
  std::uint32_t immediate = 0;
  bool solicited = false;
};

/// Payload of one packet, placed or to be checked: the remote address it belongs to, and how far into its
/// message it is.
struct PlacedPayload {
  std::uint64_t address = 0;
  std::uint32_t message_offset = 0;
  Segments bytes;
  std::uint8_t* to = nullptr;  ///< where it lies in our memory; null: it is not stored
};

/// What a request did.
struct RequestOutcome {
  std::optional<Reply> reply;
  std::optional<MessageEvent> message;
  std::optional<PlacedPayload> payload;  ///< set when the packet was accepted and carried payload
  /// Number of the accepted packet since the initial PSN (0 for that one), counted on over every wrap of the
  /// PSN and, on UC, over every loss. Nothing when the packet was not accepted.
  std::optional<std::uint64_t> packet_index;
};

/// The receive half of a queue pair as a hardware NIC behaves (IBA 9.7.4, 9.8.2; the behaviour table of Linux
/// Soft-RoCE is the model, doc/responder.md): takes RDMA WRITEs; one NAK per gap, duplicates acknowledged
/// again, access errors move the QP to ERR. UC answers nothing and drops what it cannot use until the next
/// message begins. Sans-I/O, not thread-safe, no allocation. Copies are QPs of their own; a QP is brought
/// back from ERR by assigning a new one.
class Responder {
 public:
  /// `regions` is owned by the caller, outlives the responder and stays as it is but for change_regions().
  Responder(const ResponderConfig& config, const std::vector<MemoryRegion>& regions);

  /// Takes a request addressed to this QP (iCRC right, peer verified), writes its payload to memory. Any
  /// opcode may be handed in, READs and atomics too: a request that is no WRITE is an invalid request. The
  /// outcome refers to the request's bytes.
  RequestOutcome on_request(const ReceivedRequest& request);
  /// The same, but the payload is the caller's to copy to where it belongs, and at once.
  RequestOutcome on_request_unplaced(const ReceivedRequest& request);

  /// The quick way of on_request(), for RC: true when this packet is what was to come, and to be taken. False
  /// says nothing: it is on_request()'s then.
  bool awaits(const QuickWrite& packet) const;
  /// Where the payload of a packet that awaits() will be placed; null: nowhere.
  const std::uint8_t* place_of(const QuickWrite& packet) const;
  /// What a packet that awaits() does.
  struct Quick {
    std::uint64_t index = 0;       ///< RequestOutcome::packet_index
    std::uint64_t address = 0;     ///< PlacedPayload::address
    std::uint8_t* to = nullptr;    ///< where its payload is to be placed, by the caller; null: nowhere
    std::optional<Reply> reply{};  ///< RequestOutcome::reply
    std::optional<MessageEvent> message{};  ///< RequestOutcome::message
  };
  /// Takes it, but for its payload.
  Quick take(const QuickWrite& packet);

  /// Calls `change`, which may do to the regions what it likes. A message in progress goes on where its
  /// region is still there, with room for all of it; else it is refused as a remote access error.
  template <typename Change>
  void change_regions(Change&& change) {
    const std::uint32_t rkey = message_.region == nullptr ? 0 : message_.region->rkey;
    std::forward<Change>(change)();
    find_message_again(rkey);
  }

  /// Posts `n` more receive requests (consumed by messages with immediate).
  void post_receives(std::uint64_t n);

  QpState state() const { return state_; }  ///< kRtr or kErr
  const ResponderCounters& counters() const { return counters_; }
  const ResponderConfig& config() const { return config_; }
  Psn expected_psn() const { return expected_psn_; }
  std::uint64_t receives() const { return receives_; }

 private:
  enum class Fault : std::uint8_t { kNone, kInvalidRequest, kRemoteAccess, kNoReceive };

  /// The message whose packets are coming in.
  struct Message {
    bool active = false;
    const MemoryRegion* region = nullptr;  ///< null for an empty message
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    std::uint32_t done = 0;
    bool revoked = false;  ///< its region went while it came in
  };

  bool concerns_us(const Bth& bth) const;
  RequestOutcome on_rc(const ReceivedRequest& request);
  RequestOutcome on_uc(const ReceivedRequest& request);
  RequestOutcome refuse_rc(Fault fault, Psn psn);
  void discard_uc(bool ends);
  void abandon_uc();

  Fault begin(const Reth& reth);
  Fault examine(const ReceivedRequest& request);
  Fault check_length(const ReceivedRequest& request) const;
  void count(Fault fault);
  void accept(const ReceivedRequest& request, std::uint64_t index, RequestOutcome& out);
  /// Where the next payload of the message belongs; null: nowhere.
  std::uint8_t* next_place() const { return message_.region->at(message_.address + message_.done); }
  const MemoryRegion* find_region(std::uint32_t rkey);
  void find_message_again(std::uint32_t rkey);
  Reply reply(std::uint8_t syndrome, Psn psn) const { return {Aeth{syndrome, msn_ & kPsnMask}, psn}; }

  // What each packet needs comes first.
  Psn expected_psn_;
  std::uint32_t msn_ = 0;
  std::uint64_t next_index_ = 0;  ///< RC: of the expected packet
  Message message_;
  QpState state_ = QpState::kRtr;
  bool nak_sent_ = false;  ///< RC: one NAK per gap has been sent
  bool dropping_ = false;  ///< UC: rest of a message that counts as missing already
  ResponderConfig config_;
  ResponderCounters counters_;
  std::uint64_t receives_;
  const std::vector<MemoryRegion>* regions_;
  const MemoryRegion* last_region_ = nullptr;  ///< the region found last: nearly always the next one too
  ArrivalWindow window_;                       ///< UC: which packets came
};

}  // namespace softfeb::roce
