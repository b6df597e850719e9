// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "control/frame_sender.hpp"
#include "control/packetizer.hpp"
#include "control/rssi.hpp"
#include "control/srp.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace softfeb::control {

enum class SrpOutcome : std::uint8_t {
  kOk,
  kStatus,     ///< answered with a status that is not 0
  kMalformed,  ///< answered with a length that cannot be
  kTimeout,
  kClosed,  ///< the link closed; whether a write took place nobody knows
};

struct SrpReply {
  SrpOutcome outcome = SrpOutcome::kOk;
  std::uint32_t status = 0;
  ByteSpan data;  ///< of a read; with kStatus the words before the error. Valid during the call
};

struct SrpClientCounters {
  std::uint64_t requests = 0;  ///< posted writes included
  std::uint64_t replies = 0;
  std::uint64_t foreign = 0;  ///< answers to nothing that is waited for: late ones, or with another header
  std::uint64_t timeouts = 0;
};

/// SRPv3 client on one RSSI link; transactions are pipelined. Each ends with exactly one call of its
/// callback, from inside on_segment(), on_close() or on_timer(), unless the client is destroyed first.
/// Callbacks may begin new transactions.
///
/// A transaction times out when `timeout` has passed since it was begun and since the last answer: a long
/// queue that moves does not time out (as PyRogue has it). Lost segments are RSSI's concern, so nothing is
/// ever repeated here.
class SrpClient final : public RssiUser {
 public:
  using Callback = std::function<void(const SrpReply&, Time)>;
  using Notice = std::function<void(Time)>;

  explicit SrpClient(Time timeout = 5 * kSecond) : timeout_(timeout) {}

  void attach(RssiLink& link) { link_ = &link; }
  /// Called when the link has opened and closed.
  void notify(Notice opened, std::function<void(RssiClose, Time)> closed);

  /// Address and size multiples of 4, 4…4096 bytes. False, and no callback, when the link is not open.
  bool read(std::uint32_t address, std::size_t bytes, Time now, Callback done);
  bool write(std::uint32_t address, ByteSpan data, Time now, Callback done);
  /// Posted write: nobody answers.
  bool post(std::uint32_t address, ByteSpan data, Time now);
  /// Answered after everything before it is done.
  bool null(Time now, Callback done);

  std::size_t pending() const { return pending_.size(); }
  Time deadline() const;
  void on_timer(Time now);

  void on_open(Time now) override;
  void on_close(RssiClose why, Time now) override;
  bool on_segment(ByteSpan payload, Time now) override;
  void on_room(Time now) override { sender_.flush(*link_, now); }

  const SrpClientCounters& counters() const { return counters_; }

 private:
  struct Pending {
    srp::Header header;
    srp::Opcode opcode;
    std::size_t size;
    Time begun;
    Callback done;
  };
  using Number = std::uint64_t;  ///< transactions counted; the id is its lower half

  bool begin(srp::Opcode opcode, std::uint32_t address, std::size_t size, ByteSpan data, Time now,
             Callback done);
  void on_response(ByteSpan message, Time now);
  std::map<Number, Pending>::iterator find(std::uint32_t id);

  Time timeout_;
  RssiLink* link_ = nullptr;
  Notice opened_;
  std::function<void(RssiClose, Time)> closed_;
  FrameSender sender_;
  Depacketizer receiver_{srp::kMaxMessage};
  std::map<Number, Pending> pending_;
  Number next_ = 1;
  Time last_answer_ = 0;
  SrpClientCounters counters_;
};

}  // namespace softfeb::control
