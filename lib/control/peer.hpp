// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Receivers whose queue pairs are learnt over TCP: perftest's `ib_write_bw` and this project's `rdma-sink`.
///
/// The TCP address and the RoCE address may differ (a management network, a forwarded port): where packets go
/// is what the receiver says in the exchange, never what the URL says.
///
/// Order: connect() → configure our QPs with remote() → begin() → traffic → end(). All calls block, each step
/// at most as long as PeerTimeouts says, and throw PeerError. From connect() on our RoCE address must be
/// answering ARP or neighbour solicitation: the receiver resolves it when it moves its QPs to RTR.
namespace softfeb::control {

/// Whose fault it is; the values are the programs' exit codes.
enum class PeerFault : std::uint8_t {
  kProtocol = 1,       ///< the peer said what it must not say, or left in the middle
  kConfiguration = 2,  ///< the two sides' settings do not fit together
  kEnvironment = 3,    ///< nobody there, or nobody answering
};

/// The message names the peer, what happened and what to do about it.
class PeerError : public std::runtime_error {
 public:
  PeerError(PeerFault fault, const std::string& what, bool nobody_there = false)
      : std::runtime_error(what), fault_(fault), nobody_there_(nobody_there) {}
  PeerFault fault() const { return fault_; }
  /// Nothing listens there, as far as can be told: it may do so a moment later. (A forwarded port accepts and
  /// closes.)
  bool nobody_there() const { return nobody_there_; }
  int exit_code() const { return static_cast<int>(fault_); }

 private:
  PeerFault fault_;
  bool nobody_there_;
};

enum class PeerKind : std::uint8_t { kPerftest, kSink };

inline constexpr std::uint16_t kPerftestPort = 18515;  ///< perftest's own default (-p)
inline constexpr std::uint16_t kSinkPort = 18516;

struct PeerUrl {
  PeerKind kind = PeerKind::kPerftest;
  std::string host;  ///< name or address, IPv6 without its brackets
  std::uint16_t port = 0;
};

/// perftest://HOST[:PORT] or sink://HOST[:PORT]; HOST is a name, an IPv4 address or an IPv6 address in
/// brackets. Throws PeerError (kConfiguration) with the reason for anything else.
PeerUrl parse_peer_url(std::string_view text);
std::string to_string(const PeerUrl& url);

struct LocalQp {
  roce::Qpn qpn = 0;
  roce::Psn psn = 0;  ///< of our first request: what the receiver must expect
};

/// What the receiver is told about us.
struct LocalEndpoint {
  roce::IpAddress ip;  ///< our RoCE address, which is also our GID
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;       ///< bytes
  std::uint32_t message_size = 0;  ///< bytes, of the largest message
  std::uint64_t messages = 0;      ///< each QP sends; 0: not known beforehand
  /// Message n of a QP goes to address + (n mod slots)·message_size; 0: as many slots as its memory holds.
  std::uint64_t slots = 0;
  /// false: plain WRITEs; otherwise true or the rule rdma-sink checks immediates by (doc/rdma-sink.md).
  nlohmann::json immediate = false;
  nlohmann::json payload =
      nullptr;  ///< what rdma-sink checks the bytes by (doc/rdma-sink.md); null: not at all
  std::vector<LocalQp> qps;
};

struct RemoteQp {
  roce::Qpn qpn = 0;
  roce::Psn psn = 0;  ///< of the receiver's own requests; a WRITE-only sender has no use for it
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;  ///< virtual address of the QP's memory
  std::uint64_t length = 0;   ///< bytes that may be written there
};

struct RemoteEndpoint {
  roce::IpAddress ip;                   ///< where packets are sent to
  std::optional<roce::MacAddress> mac;  ///< where the receiver tells it; otherwise ARP
  std::string software;                 ///< name and version, for people
  /// LocalEndpoint::slots as the receiver will count; 0: it does not care, as many as the memory holds.
  std::uint64_t slots = 0;
  std::vector<RemoteQp> qps;  ///< as many as LocalEndpoint::qps, in their order
};

/// What we did, told to the receiver at the end.
struct PeerResults {
  bool complete = false;       ///< every message was sent and, on RC, acknowledged
  bool counted = true;         ///< false: how many messages is not known; rdma-sink alone
  std::uint64_t messages = 0;  ///< of all QPs
  std::uint64_t payload_bytes = 0;
  std::vector<std::uint64_t> messages_of_qp;  ///< in the order of LocalEndpoint::qps; empty: not told
  double seconds = 0;                         ///< from the first post to the last completion
};

struct PeerTimeouts {
  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds step{15'000};  ///< each answer; perftest sleeps a second after accept()
  std::chrono::milliseconds end{60'000};   ///< the final report
};

/// One receiver between connect() and end(). Destroying it without end() closes the connection, which a
/// receiver takes for a failed run.
class PeerSession {
 public:
  virtual ~PeerSession() = default;
  virtual const RemoteEndpoint& remote() const = 0;
  /// Returns when the receiver is ready to receive: packets may be sent from then on.
  virtual void begin() = 0;
  /// Ends the exchange; returns what the receiver has to say about the run. Also to be called after a failed
  /// run.
  virtual nlohmann::json end(const PeerResults& results) = 0;
};

std::unique_ptr<PeerSession> connect(const PeerUrl& url, const LocalEndpoint& local,
                                     const PeerTimeouts& timeouts = {});

}  // namespace softfeb::control
