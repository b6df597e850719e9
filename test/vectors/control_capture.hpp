// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcap_file.hpp"
#include "srp/packetizer.hpp"
#include "srp/rssi_header.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// Reads captures of slow control.
namespace softfeb::test {

/// A captured segment.
struct CapturedSegment {
  Time at = 0;
  bool from_client = false;
  std::vector<std::uint8_t> bytes;  ///< the whole datagram

  /// Returns the parsed segment. Every captured segment is valid (checked by control_captures()).
  srp::rssi::Segment parsed() const { return *srp::rssi::parse(bytes); }
};

/// The segments of one client at one port of the server, beginning with its first SYN.
struct CapturedConnection {
  std::string capture;  ///< name of the file without its extension
  srp::UdpPeer client;
  srp::UdpPeer server;
  std::vector<CapturedSegment> segments;
};

/// Returns the connections to ports 8192 and 8193, on which the firmware listens, in order of their first
/// SYN. In some captures, a relay between client and server loses datagrams; for these captures, the result
/// contains the connections between relay and server. Throws std::runtime_error if the file is not a capture,
/// or if a segment is invalid, because neither the real client nor its server sends invalid segments.
std::vector<CapturedConnection> control_captures(const std::filesystem::path& path);

/// An SRPv3 message, and the packets that carried it.
struct CapturedMessage {
  std::vector<std::uint8_t> bytes;
  /// Complete packets, including the packetizer's header and tail.
  std::vector<std::vector<std::uint8_t>> packets;

  std::uint32_t transaction() const { return load_le32(&bytes[4]); }
  std::uint32_t address() const { return load_le32(&bytes[8]); }
};

/// Assembles the messages of one direction from segment payloads, which must be in order.
class MessageCollector {
 public:
  /// Adds the next packet. Throws std::runtime_error if it is invalid.
  void push(ByteSpan packet);
  const std::vector<CapturedMessage>& messages() const { return messages_; }
  /// Discards an incomplete message. Call this after the connection has restarted, and after a gap in the
  /// capture.
  void reset();

 private:
  srp::Depacketizer depacketizer_{64 * 1024};
  std::vector<std::vector<std::uint8_t>> packets_;
  std::vector<CapturedMessage> messages_;
};

}  // namespace softfeb::test
