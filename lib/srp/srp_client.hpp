// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "srp/frame_sender.hpp"
#include "srp/packetizer.hpp"
#include "srp/rssi.hpp"
#include "srp/srp.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace softfeb::srp {

enum class SrpOutcome : std::uint8_t {
  kOk,
  kStatus,     ///< answered with a nonzero status
  kMalformed,  ///< answered with the wrong amount of data
  kTimeout,
  kClosed,  ///< the link closed; it is unknown whether a write was performed
};

struct SrpReply {
  SrpOutcome outcome = SrpOutcome::kOk;
  std::uint32_t status = 0;
  ByteSpan data;  ///< data of a read; with kStatus, the words before the error. Valid during the callback
};

struct SrpClientCounters {
  std::uint64_t requests = 0;  ///< requests sent, including posted writes
  std::uint64_t replies = 0;
  /// Responses that match no pending transaction (late, or with a wrong header) or have an impossible length.
  std::uint64_t foreign = 0;
  std::uint64_t timeouts = 0;
};

/// SRPv3 client on one RSSI link; transactions are pipelined. The callback of each transaction is called
/// exactly once, from inside on_segment(), on_close() or on_timer(), unless the client is destroyed first.
/// Callbacks may start new transactions.
///
/// A transaction times out when `timeout` has passed both since its start and since the last response to any
/// transaction. A long queue that makes progress therefore does not time out (as in PyRogue). Lost segments
/// are handled by RSSI; nothing is retransmitted here.
class SrpClient final : public RssiUser {
 public:
  using Callback = std::function<void(const SrpReply&, Time)>;
  using Notice = std::function<void(Time)>;

  explicit SrpClient(Time timeout = 5 * kSecond) : timeout_(timeout) {}

  void attach(RssiLink& link) { link_ = &link; }
  /// Sets the functions that are called when the link has opened and when it has closed.
  void notify(Notice opened, std::function<void(RssiClose, Time)> closed);

  /// Reads or writes memory, and calls `done` with the result. `address` is a multiple of 4. The size is a
  /// multiple of 4, 4…4096 bytes. Returns false, without a callback, if the link is not open.
  bool read(std::uint32_t address, std::size_t bytes, Time now, Callback done);
  bool write(std::uint32_t address, ByteSpan data, Time now, Callback done);
  /// Sends a posted write, to which there is no response.
  bool post(std::uint32_t address, ByteSpan data, Time now);
  /// Sends a null request, which is answered after all earlier requests have completed.
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
  using Number = std::uint64_t;  ///< transaction counter, whose lower 32 bits are the id

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

}  // namespace softfeb::srp
