// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "captured_server.hpp"
#include "control_capture.hpp"
#include "srp/rssi_server.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace softfeb::test {

/// Sends the datagrams of the client of a captured connection to softfeb's server ("our server"), in the same
/// order and at the same times.
///
/// Apart from the header checksum, the replay rewrites these fields:
/// * The acknowledge number, so that it acknowledges as many of our data segments as the client acknowledged
///   in the capture. Our sequence numbers differ from those in the capture, because a server may start with
///   any number, and NULs of Rogue's server use sequence numbers, too.
/// * The sequence number, so that it continues after a gap in the capture as if there had been no gap. The
///   time of the gap is skipped. A gap is assumed where the client is silent for longer than its keep-alive
///   allows.
///
/// The replay does not change the payload of segments.
class ControlReplay final : private srp::DatagramSink {
 public:
  /// Our server passes segments to `application`, and uses the limits of the captured server.
  ControlReplay(const CapturedConnection& connection, srp::RssiUser& application);

  srp::RssiLink& link() { return server_; }
  /// Replays the connection. Checks RSSI itself (negotiation, acknowledgements, reset) with Catch2.
  void run();

  const CapturedServer& captured() const { return captured_; }
  /// Messages that our server sent.
  const std::vector<CapturedMessage>& answers() const { return answers_.messages(); }
  std::size_t holes() const { return holes_; }

 private:
  using Bytes = std::vector<std::uint8_t>;

  void send(const srp::UdpPeer& to, ByteSpan datagram) override;
  void on_syn_ack(ByteSpan datagram);
  void on_segment(const srp::rssi::Segment& segment);

  void give(const CapturedSegment& captured);
  void resume_after_hole(const srp::rssi::Header& header, Time at);
  Bytes rewritten(const CapturedSegment& captured) const;
  void advance(Time to);
  void check_reaction(const srp::rssi::Segment& given);
  void check_end() const;
  void check_syn_ack() const;

  const CapturedConnection& connection_;
  srp::RssiServer server_;

  CapturedServer captured_;
  Time now_ = 0;
  Time left_out_ = 0;  ///< time skipped so far because of gaps
  Time client_heard_ = 0;
  std::size_t holes_ = 0;
  std::uint8_t sequence_shift_ = 0;
  /// sequence number that the client's next numbered segment has in the capture
  std::uint8_t client_next_ = 0;

  MessageCollector answers_;
  /// Sequence numbers of our segments: element 0 is that of our SYN, and element k that of the k-th data
  /// segment.
  std::vector<std::uint8_t> data_numbers_;
  std::uint8_t next_number_ = 0;  ///< sequence number that our next numbered segment will have
  std::optional<std::uint8_t> acknowledged_;
  Bytes syn_ack_;
  std::size_t resets_ = 0;
  bool client_reset_ = false;
};

}  // namespace softfeb::test
