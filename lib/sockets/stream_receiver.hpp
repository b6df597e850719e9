// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "srp/datagram.hpp"
#include "srp/rssi.hpp"
#include "srp/stream.hpp"

#include <cstdint>
#include <memory>

namespace softfeb::sockets {

struct StreamReceiverOptions {
  srp::UdpPeer board;  ///< usually port kStreamPort
  Time connect_timeout = 5 * kSecond;
  std::uint16_t max_segment = 8964;  ///< maximum datagram size that we offer to receive, in bytes
  std::size_t max_frame = 16 * 1024 * 1024;
};

/// Statistics since the first connect().
struct StreamStats {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;    ///< payload bytes of the frames counted in `frames`
  std::uint64_t damaged = 0;  ///< frames with EOFE; not counted in `frames`
  std::uint64_t dropped = 0;  ///< malformed packets, and packets out of sequence
  std::uint64_t segments = 0;
  std::uint64_t connections = 0;
};

/// Receives the stream of a board or of softfeb, for sequential programs. connect() and send() open the link
/// and throw errors as RegisterClient does. receive() does not open the link.
class StreamReceiver {
 public:
  /// `handler` is called for each frame and may be empty.
  StreamReceiver(const StreamReceiverOptions& options, srp::FrameHandler handler);
  ~StreamReceiver();

  void connect();
  void close();
  /// Receives for `duration`, or until `frames` more frames have arrived. Returns true if that many have
  /// arrived.
  bool receive(Time duration, std::uint64_t frames = UINT64_MAX);
  void send(ByteSpan frame);

  StreamStats figures() const;
  const srp::RssiStatus& link_status() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace softfeb::sockets
