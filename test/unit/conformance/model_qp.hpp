// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/target.hpp"
#include "model_packet.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::test {

/// A memory region of the model.
struct ModelRegion {
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
  bool writable = true;
  bool own_domain = true;
  bool registered = true;
  std::vector<std::uint8_t> data{};
  /// Range of the bytes that were written since the region was filled. Only this range needs to be filled
  /// again, which takes less time than filling the whole region.
  std::size_t written_from = SIZE_MAX, written_to = 0;
};

/// The responder of a queue pair as IBA 9.7 and 9.8 describe it. It is written for clarity, and is
/// independent of roce::Responder. Supports WRITE, SEND, READ and atomic operations on RC, and WRITE and SEND
/// on UC.
class ModelQp {
 public:
  ModelQp(const conformance::OpenRequest& request, roce::Qpn qpn, std::vector<ModelRegion>& regions,
          std::vector<conformance::Completion>& completions, Mutation mutation);

  /// Processes a packet that has a correct iCRC and comes from the address of the peer. Appends the
  /// responses.
  void receive(const ModelPacket& packet, Time now, std::vector<ModelReply>& out);

  void post_receives(std::uint32_t count) { receives_ += count; }
  void modify(conformance::TargetState state);
  void set_error();
  /// Writes the payload that the mutation kLatePlacement has delayed.
  void write_late();
  /// Appends a CNP.
  void notify(const ModelPacket& packet, Time now, std::vector<ModelReply>& out);

  roce::Qpn qpn() const { return qpn_; }
  roce::Qpn requester_qp() const { return requester_qp_; }
  const roce::IpAddress& peer() const { return peer_; }
  conformance::TargetState state() const { return state_; }
  bool event() const { return event_; }

 private:
  enum class Type : std::uint8_t { kWrite, kSend, kRead, kAtomic, kUnknown };
  struct Operation {
    Type type = Type::kUnknown;
    bool begins = false, ends = false, immediate = false, invalidates = false;
  };
  enum class Fault : std::uint8_t { kNone, kInvalidRequest, kRemoteAccess, kNoReceive, kIgnored };
  /// Extended headers and payload of a packet.
  struct Content {
    std::uint64_t address = 0;
    std::uint32_t rkey = 0;
    std::uint32_t length = 0;  ///< DMA length in the RETH
    std::uint32_t immediate = 0;
    std::uint64_t operand = 0, compare = 0;
    ByteSpan payload;
  };
  struct Message {
    bool active = false;
    Type type = Type::kWrite;
    ModelRegion* region = nullptr;  ///< null if no memory is written
    std::uint64_t address = 0;
    std::uint64_t length = 0;
    std::uint64_t done = 0;
  };

  bool is(Mutation m) const { return mutation_ == m; }
  bool rc() const { return transport_ == roce::Transport::kRc; }
  static Operation operation_of(unsigned code);
  std::optional<Content> content_of(const ModelPacket& packet, const Operation& op) const;
  bool headers_refused(const ModelPacket& packet);
  void on_rc(const ModelPacket& packet, const Operation& op, const Content& c, std::vector<ModelReply>& out);
  void on_uc(const ModelPacket& packet, const Operation& op, const Content& c, std::vector<ModelReply>& out);
  void on_duplicate(const ModelPacket& packet, const Operation& op, const Content& c,
                    std::vector<ModelReply>& out);
  void on_gap(const ModelPacket& packet, const Operation& op, const Content& c, std::vector<ModelReply>& out);

  Fault examine(const ModelPacket& packet, const Operation& op, const Content& c);
  Fault check_order(const Operation& op) const;
  Fault check_length(const ModelPacket& packet, const Operation& op, const Content& c) const;
  Fault check_memory(const Operation& op, const Content& c);
  bool inside(const ModelRegion& region, std::uint64_t address, std::uint64_t length, bool only) const;
  ModelRegion* region_of(std::uint32_t rkey, bool write);
  void accept(const ModelPacket& packet, const Operation& op, Content c);
  void place(const ModelPacket& packet, const Operation& op, ByteSpan payload);
  static void store(ModelRegion& region, std::uint64_t address, ByteSpan bytes);
  void complete(const ModelPacket& packet, const Operation& op, const Content& c);
  void refuse(Fault fault, const ModelPacket& packet, const Operation& op, const Content& c,
              std::vector<ModelReply>& out);
  void read(const ModelPacket& packet, const Content& c, std::vector<ModelReply>& out);
  void atomic(const ModelPacket& packet, const Content& c, std::vector<ModelReply>& out);
  void acknowledge(const ModelPacket& packet, const Operation& op, std::vector<ModelReply>& out);
  ModelReply reply(std::uint8_t opcode, std::uint8_t syndrome, roce::Psn psn, std::uint32_t msn) const;

  Mutation mutation_;
  roce::Qpn qpn_, requester_qp_;
  roce::IpAddress peer_;
  roce::Transport transport_;
  conformance::QpSpec spec_;
  std::vector<ModelRegion>& regions_;
  std::vector<conformance::Completion>& completions_;
  conformance::TargetState state_;

  roce::Psn first_, expected_;
  std::uint32_t msn_ = 0;
  Message message_;
  std::uint64_t receives_;
  std::uint64_t receives_lost_ = 0;  ///< for kRnrConsumes: number of receives that were lost
  bool nak_sent_ = false;            ///< whether a NAK was sent; no further NAK precedes the expected packet
  bool refused_once_ = false;        ///< for kRnrOnce: whether a request has been refused
  bool event_ = false;
  std::uint8_t request_tos_ = 0;
  std::optional<bool> mig_req_;      ///< for kMigReqMustStay: the MigReq of the first packet
  std::optional<roce::Psn> cut_at_;  ///< for kUcStaysCut: PSN for which the queue pair waits
  bool deaf_ = false;                ///< for kUcCutForEver: whether all packets are ignored from now on
  std::optional<Time> notified_;     ///< time of the latest CNP
  bool mark_pending_ = false;
  struct Atomic {
    roce::Psn psn;
    std::uint64_t original;
  };
  std::vector<Atomic> atomics_;
  struct Late {
    ModelRegion* region;
    std::uint64_t address;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Late> late_;
};

}  // namespace softfeb::test
