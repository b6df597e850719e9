// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pcap_file.hpp"
#include "srp/packetizer.hpp"
#include "srp/rssi_header.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// What a capture of the slow control holds.
namespace softfeb::test {

/// A segment as it passed the place of the capture.
struct CapturedSegment {
  Time at = 0;
  bool from_client = false;
  std::vector<std::uint8_t> bytes;  ///< of the datagram

  /// Every captured segment is sound (control_captures() saw to it).
  srp::rssi::Segment parsed() const { return *srp::rssi::parse(bytes); }
};

/// One client at one port of the server, from its first SYN on.
struct CapturedConnection {
  std::string capture;  ///< name of the file, without its ending
  srp::UdpPeer client;
  srp::UdpPeer server;
  std::vector<CapturedSegment> segments;
};

/// The connections to ports 8192 and 8193, where the firmware listens, in order of their first SYN. Where the
/// capture is of a relay that loses datagrams, that is the leg between relay and server: what the server saw.
/// Throws std::runtime_error where the file is no capture or a segment is not sound: neither the real client
/// nor a server it understood sends such.
std::vector<CapturedConnection> control_captures(const std::filesystem::path& path);

/// An SRPv3 message and the packets it came in.
struct CapturedMessage {
  std::vector<std::uint8_t> bytes;
  std::vector<std::vector<std::uint8_t>> packets;  ///< of the packetizer, whole

  std::uint32_t transaction() const { return load_le32(&bytes[4]); }
  std::uint32_t address() const { return load_le32(&bytes[8]); }
};

/// Gathers the messages of one direction from segments' payloads in order.
class MessageCollector {
 public:
  /// Throws std::runtime_error for packets that are wrong.
  void push(ByteSpan packet);
  const std::vector<CapturedMessage>& messages() const { return messages_; }
  /// The connection began anew, or part of it was not captured.
  void reset();

 private:
  srp::Depacketizer depacketizer_{64 * 1024};
  std::vector<std::vector<std::uint8_t>> packets_;
  std::vector<CapturedMessage> messages_;
};

}  // namespace softfeb::test
