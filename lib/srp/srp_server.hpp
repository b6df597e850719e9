// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "srp/bus.hpp"
#include "srp/frame_sender.hpp"
#include "srp/packetizer.hpp"
#include "srp/rssi.hpp"
#include "srp/srp.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace softfeb::srp {

/// Limits on the data that a peer can make the server store. If a limit on requests is reached, the link
/// announces BUSY. No request is started while the limit on responses is reached.
struct SrpServerLimits {
  std::size_t requests = 1024;             ///< number of requests received and not started
  std::size_t request_bytes = 256 * 1024;  ///< total size of the requests received and not started
  /// Bytes of responses that the link has not accepted yet. One response may exceed this limit.
  std::size_t response_bytes = 256 * 1024;
};

struct SrpServerCounters {
  std::uint64_t requests = 0;  ///< complete messages received
  std::uint64_t posted = 0;    ///< number of posted writes among these messages; they are not answered
  /// Requests in which an error was found before the access; some writes are still performed in part
  /// (srp::Request).
  std::uint64_t refused = 0;
  std::uint64_t bus_errors = 0;  ///< accesses that ended with a bus error
  std::uint64_t responses = 0;
  std::uint64_t busy = 0;  ///< segments refused because of the limits
};

/// SRPv3 server on one RSSI link. Performs the accesses of the requests on the bus strictly in order and one
/// at a time, and sends the responses. When a client disconnects, its requests and responses are discarded.
/// An access in progress completes without a response, and the requests of the next client wait for it.
///
///     SrpServer server(bus);
///     RssiServer link(…, sink, server);
///     server.attach(link);
class SrpServer final : public RssiUser {
 public:
  explicit SrpServer(Bus& bus, const SrpServerLimits& limits = {});
  ~SrpServer() override;
  SrpServer(const SrpServer&) = delete;
  SrpServer& operator=(const SrpServer&) = delete;

  /// Call before the link's first datagram. `link` must stay valid until this object is destroyed or the bus
  /// has completed its last access.
  void attach(RssiLink& link) { link_ = &link; }

  void on_open(Time now) override;
  void on_close(RssiClose why, Time now) override;
  bool on_segment(ByteSpan payload, Time now) override;
  void on_room(Time now) override;

  const SrpServerCounters& counters() const { return counters_; }
  std::uint64_t dropped() const { return receiver_.dropped(); }  ///< received packets with a packetizer error

 private:
  struct Access;
  struct Message {
    std::vector<std::uint8_t> bytes;
    bool eofe = false;
  };
  enum class Phase : std::uint8_t { kIdle, kBegin, kBus };

  void reset();
  void advance(Time now);
  bool step();
  void begin();
  void call_bus();
  void bus_done(const BusResult& result, Time now);
  void respond();
  bool has_space() const;

  Bus& bus_;
  SrpServerLimits limits_;
  RssiLink* link_ = nullptr;
  FrameSender sender_;
  Depacketizer receiver_;

  std::deque<Message> requests_;
  std::size_t request_bytes_ = 0;

  std::shared_ptr<Access> access_;  ///< shared with the bus, which may outlive this object
  Phase phase_ = Phase::kIdle;
  bool advancing_ = false;
  bool refused_segment_ = false;
  Time now_ = 0;
  SrpServerCounters counters_;
};

}  // namespace softfeb::srp
