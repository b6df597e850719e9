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

/// A registered memory region: remote addresses [address, address + length) under `rkey`, which must be
/// unique among the regions. `length` is in bytes. If `data` is null, accesses are checked but the payload is
/// not stored. The object does not own the memory.
struct MemoryRegion {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint32_t rkey = 0;
  std::uint8_t* data = nullptr;

  /// Local address of `va`, which must lie inside the region; null if payload is not stored.
  std::uint8_t* at(std::uint64_t va) const { return data == nullptr ? nullptr : data + (va - address); }
  /// True if all of [va, va + size) lies inside the region. Both values come from the network, so the check
  /// avoids sums that could overflow.
  bool holds(std::uint64_t va, std::uint64_t size) const {
    return va >= address && size <= length && va - address <= length - size;
  }
};

inline constexpr std::uint64_t kUnlimitedReceives = UINT64_MAX;

struct ResponderConfig {
  Transport transport = Transport::kRc;
  Qpn qpn = 0;
  Qpn dest_qpn = 0;  ///< the requester's QPN, to which acknowledgements are sent
  std::uint16_t pkey = kDefaultPkey;
  std::uint32_t pmtu = 4096;    ///< path MTU in bytes
  Psn expected_psn = 0;         ///< PSN of the first packet
  std::uint8_t rnr_timer = 12;  ///< timer code in our RNR NAKs, 0…31
  /// Initial number of receive requests; kUnlimitedReceives means without limit.
  std::uint64_t receives = kUnlimitedReceives;
  /// UC: packets of a message may arrive in any order. The outcome of a request then contains only its packet
  /// index, and the caller must pass the packet to UnorderedWrites.
  bool any_order = false;
};

struct ResponderCounters {
  std::uint64_t packets = 0;          ///< all requests processed
  std::uint64_t payload_bytes = 0;    ///< payload accepted, without duplicates
  std::uint64_t messages = 0;         ///< complete messages
  std::uint64_t completed_bytes = 0;  ///< payload of complete messages
  std::uint64_t immediates = 0;       ///< complete messages with immediate
  std::uint64_t duplicate = 0;        ///< packets that had been received before and are not stored again
  /// RC: packets dropped after a gap. UC: packets that arrived after a packet that was sent later.
  std::uint64_t out_of_order = 0;
  /// UC: packets that have not arrived although a later packet has. Late arrivals are subtracted.
  std::uint64_t missing_packets = 0;
  /// UC: messages known to have lost a packet. This is a lower bound: messages lost completely appear only in
  /// the map of missing messages.
  std::uint64_t missing_messages = 0;
  /// UC: packets dropped because of an error, or because an earlier packet of the same message is missing.
  std::uint64_t discarded = 0;
  std::uint64_t access_errors = 0;     ///< requests with an unknown rkey or with addresses outside the region
  std::uint64_t invalid_requests = 0;  ///< requests with a wrong length, pad, opcode or packet order
  /// Packets with immediate for which no receive request was posted. RC: including retransmissions.
  std::uint64_t no_receive = 0;
  std::uint64_t ack_tx = 0, nak_sequence_tx = 0, nak_error_tx = 0, rnr_tx = 0;
  /// Packets ignored in ERR, packets with the wrong transport service, partition key or transport version,
  /// and responses.
  std::uint64_t ignored = 0;

  ResponderCounters& operator+=(const ResponderCounters& o);
};

/// Acknowledgement that the caller must send to the requester, with this PSN and MSN.
struct Reply {
  Aeth aeth{};
  Psn psn = 0;
};

/// A complete message, as the receiving application sees it.
struct MessageEvent {
  /// Remote address of the first byte; 0 for an empty message, whose address is not checked.
  std::uint64_t address = 0;
  std::uint32_t length = 0;  ///< bytes
  bool has_immediate = false;
  std::uint32_t immediate = 0;
  bool solicited = false;
};

/// Payload of one packet: its bytes, their destination, and their offset in the message.
struct PlacedPayload {
  std::uint64_t address = 0;         ///< remote address
  std::uint32_t message_offset = 0;  ///< in bytes
  Segments bytes;
  std::uint8_t* to = nullptr;  ///< local destination; null means that the payload is not stored
};

/// Result of processing a request.
struct RequestOutcome {
  std::optional<Reply> reply;
  std::optional<MessageEvent> message;
  std::optional<PlacedPayload> payload;  ///< set if the packet was accepted and carried payload
  /// Number of the accepted packet, counted from 0 for the initial PSN. This number does not wrap with the
  /// PSN. On UC, lost packets are counted too. If this is empty, the packet was not accepted.
  std::optional<std::uint64_t> packet_index;
};

/// The receive half of a queue pair. Accepts RDMA WRITEs and behaves like a hardware NIC (IBA, sections 9.7.4
/// and 9.8.2). It is modelled on Linux Soft-RoCE (doc/responder.md).
///
/// * RC: sends one NAK per gap, acknowledges duplicates again, and enters ERR on access errors and invalid
///   requests.
/// * UC: sends no responses. After a packet that the responder cannot use, it drops all packets until the
///   next message begins.
///
/// Sans-I/O, not thread-safe, no allocation. A copy is an independent QP. To leave ERR, assign a new
/// Responder.
class Responder {
 public:
  /// `regions` is owned by the caller, must outlive the responder, and may be modified only within
  /// change_regions().
  Responder(const ResponderConfig& config, const std::vector<MemoryRegion>& regions);

  /// Processes a request addressed to this QP and writes its payload to memory. The caller must have verified
  /// the request's iCRC and peer. The opcode may have any value: a request other than a WRITE, such as a READ
  /// or atomic, is handled as an invalid request. The payload in the outcome points into the request's bytes.
  RequestOutcome on_request(const ReceivedRequest& request);
  /// Like on_request(), but the caller must copy the payload to PlacedPayload::to immediately.
  RequestOutcome on_request_unplaced(const ReceivedRequest& request);

  /// Fast path of on_request() for RC: returns true if this packet is the expected one and take() can process
  /// it. Otherwise, the caller must pass the packet to on_request().
  bool awaits(const QuickWrite& packet) const;
  /// Local address to which the payload of `packet` is to be copied; null if the payload is not stored.
  /// Requires awaits(packet).
  std::uint8_t* place_of(const QuickWrite& packet) const;
  /// Result of take().
  struct Quick {
    std::uint64_t index = 0;    ///< same as RequestOutcome::packet_index
    std::uint64_t address = 0;  ///< same as PlacedPayload::address
    /// Local destination of the payload; null means that the payload is not stored.
    std::uint8_t* to = nullptr;
    std::optional<Reply> reply{};           ///< same as RequestOutcome::reply
    std::optional<MessageEvent> message{};  ///< same as RequestOutcome::message
  };
  /// Processes a packet for which awaits() is true. The caller stores the payload.
  Quick take(const QuickWrite& packet);

  /// Calls `change`, which may modify the regions. A message in progress continues if its region (same rkey)
  /// still exists and still contains the whole message. Otherwise its next packet is rejected with a remote
  /// access error.
  template <typename Change>
  void change_regions(Change&& change) {
    const std::uint32_t rkey = message_.region == nullptr ? 0 : message_.region->rkey;
    std::forward<Change>(change)();
    find_message_again(rkey);
  }

  /// Moves the queue pair to the error state, as the application can (ibv_modify_qp()).
  void set_error();

  /// Posts `n` receive requests, to be consumed by messages with immediate.
  void post_receives(std::uint64_t n);

  /// With `any_order`: returns the region that contains the whole WRITE. If there is none, counts the error
  /// and returns null.
  const MemoryRegion* admit(const Reth& reth);
  /// With `any_order`: count_placed() counts payload that was placed. count_abandoned() counts an abandoned
  /// message, of which `bytes` bytes had been placed.
  void count_placed(std::uint32_t bytes);
  void count_abandoned(std::uint32_t bytes);
  void count_duplicate() { ++counters_.duplicate; }
  /// Counts a packet that was neither placed nor a duplicate. `invalid` is true if the packet contradicts its
  /// message.
  void count_dropped(bool invalid) {
    ++counters_.discarded;
    if (invalid) ++counters_.invalid_requests;
  }
  /// With `any_order`: counts a complete message. Returns false if the message needs a receive request and
  /// none is posted; the message is then lost.
  bool count_complete(const MessageEvent& message);

  QpState state() const { return state_; }  ///< kRtr or kErr
  const ResponderCounters& counters() const { return counters_; }
  /// Copies the counters to or from another process (base/archive.hpp).
  template <class Archive>
  void archive(Archive& a) {
    a.item(counters_);
  }
  const ResponderConfig& config() const { return config_; }
  /// RequestOutcome::packet_index of the next packet in order.
  std::uint64_t next_index() const { return next_index_; }
  Psn expected_psn() const { return expected_psn_; }
  std::uint64_t receives() const { return receives_; }
  /// Payload bytes received so far of the message in progress; 0 if there is none. With `any_order`, the
  /// payload of all messages in progress is counted.
  std::uint32_t bytes_in_progress() const { return message_.active ? message_.done : unordered_bytes_; }

 private:
  enum class Fault : std::uint8_t { kNone, kInvalidRequest, kRemoteAccess, kNoReceive };

  /// The message being received.
  struct Message {
    bool active = false;
    const MemoryRegion* region = nullptr;  ///< null for an empty message
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    std::uint32_t done = 0;
    bool revoked = false;  ///< the message's region was removed during reception
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
  /// Local destination of the message's next payload; null means that the payload is not stored.
  std::uint8_t* next_place() const { return message_.region->at(message_.address + message_.done); }
  const MemoryRegion* find_region(std::uint32_t rkey);
  void find_message_again(std::uint32_t rkey);
  Reply reply(std::uint8_t syndrome, Psn psn) const { return {Aeth{syndrome, msn_ & kPsnMask}, psn}; }

  // Members that are used for every packet come first.
  Psn expected_psn_;
  std::uint32_t msn_ = 0;
  std::uint64_t next_index_ = 0;  ///< RC: number of the expected packet
  Message message_;
  QpState state_ = QpState::kRtr;
  bool nak_sent_ = false;  ///< RC: the NAK for the current gap has been sent
  bool dropping_ = false;  ///< UC: the rest of a message that was already counted as missing is being dropped
  ResponderConfig config_;
  ResponderCounters counters_;
  std::uint64_t receives_;
  const std::vector<MemoryRegion>* regions_;
  /// Region found last; the next lookup nearly always finds it again.
  const MemoryRegion* last_region_ = nullptr;
  ArrivalWindow window_;  ///< UC: records which packets have arrived
  /// With `any_order`: payload bytes that were placed for messages still in progress.
  std::uint32_t unordered_bytes_ = 0;
};

}  // namespace softfeb::roce
