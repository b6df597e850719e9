// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/builder_layout.hpp"
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

/// Receivers whose queue pairs are negotiated over TCP: perftest's `ib_write_bw` and this project's
/// `rdma-sink`.
///
/// The TCP address and the RoCE address may differ, for example if a management network or a forwarded port
/// is used. Packets go to the address that the receiver gives in the exchange, never to the address in the
/// URL.
///
/// Order of the calls: connect() → configure our QPs with remote() → begin() → traffic → end(). All calls
/// block, each step for at most the time in PeerTimeouts, and throw PeerError. From connect() on, our RoCE
/// address must answer ARP or neighbour solicitations, because the receiver resolves it when it moves its
/// QPs to RTR.
namespace softfeb::peers {

/// Cause of an error; the values are the programs' exit codes.
enum class PeerFault : std::uint8_t {
  kProtocol = 1,       ///< the peer violated the protocol or closed the connection early
  kConfiguration = 2,  ///< the parameters of the two sides do not match
  kEnvironment = 3,    ///< the peer is unreachable or does not answer
};

/// The message names the peer, what happened and how to fix it.
class PeerError : public std::runtime_error {
 public:
  PeerError(PeerFault fault, const std::string& what, bool nobody_there = false)
      : std::runtime_error(what), fault_(fault), nobody_there_(nobody_there) {}
  PeerFault fault() const { return fault_; }
  /// True if no server seems to be listening yet, so a retry may succeed. This includes a forwarded port
  /// without a server, which accepts the connection and closes it.
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
  std::string host;  ///< name or address; IPv6 without brackets
  std::uint16_t port = 0;
};

/// perftest://HOST[:PORT] or sink://HOST[:PORT]; HOST is a name, an IPv4 address or an IPv6 address in
/// brackets. Throws PeerError (kConfiguration) with the reason if `text` is anything else.
PeerUrl parse_peer_url(std::string_view text);
std::string to_string(const PeerUrl& url);

struct LocalQp {
  roce::Qpn qpn = 0;
  roce::Psn psn = 0;  ///< PSN of our first request, which the receiver must expect
  /// Our RoCE address of this QP (rdma-sink only). If empty, LocalEndpoint::ip applies.
  std::optional<roce::IpAddress> ip{};
};

/// Parameters of our side that are sent to the receiver.
struct LocalEndpoint {
  roce::IpAddress ip;  ///< our RoCE address, which is also our GID
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;       ///< path MTU in bytes
  std::uint32_t message_size = 0;  ///< size of the largest message, in bytes
  std::uint64_t messages = 0;      ///< messages per QP; 0 if the number is not known in advance
  /// Number of slots for messages in a QP's memory: message n goes to address + (n mod slots)·message_size.
  /// The value 0 means as many slots as the memory holds.
  std::uint64_t slots = 0;
  /// The value `false` means WRITEs without immediate. For WRITEs with immediate, this is `true` or the rule
  /// by which rdma-sink checks immediates (doc/rdma-sink.md).
  nlohmann::json immediate = false;
  /// Rule by which rdma-sink checks the payload (doc/rdma-sink.md); null if rdma-sink does not check it.
  nlohmann::json payload = nullptr;
  std::vector<LocalQp> qps;
  /// Layout of the events that we send, with one QP for each board (rdma-sink only). Empty if we send no
  /// events.
  std::optional<detector::BuilderLayout> events;
};

struct RemoteQp {
  roce::Qpn qpn = 0;
  roce::Psn psn = 0;  ///< PSN of requests from the receiver; unused by a WRITE-only sender
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;  ///< virtual address of the QP's memory
  std::uint64_t length = 0;   ///< writable bytes from `address` on
};

struct RemoteEndpoint {
  roce::IpAddress ip;  ///< destination of the packets
  /// MAC address of the receiver, if the receiver provides it. Otherwise, it is resolved by ARP or neighbour
  /// discovery.
  std::optional<roce::MacAddress> mac;
  std::string software;  ///< name and version, for display
  /// Number of slots that the receiver expects; 0 if it specifies none.
  std::uint64_t slots = 0;
  std::vector<RemoteQp> qps;  ///< one per LocalEndpoint::qps, in the same order
  /// Layout for which the receiver builds events; empty if it builds none. The values come from the receiver,
  /// so compare them with LocalEndpoint::events.
  std::optional<detector::BuilderLayout> events;
};

/// Results of our side, sent to the receiver at the end.
struct PeerResults {
  bool complete = false;       ///< every message was sent and, on RC, acknowledged
  bool counted = true;         ///< if false, the number of messages is unknown (rdma-sink only)
  std::uint64_t messages = 0;  ///< messages sent, sum over all QPs
  std::uint64_t payload_bytes = 0;
  std::vector<std::uint64_t> messages_of_qp;  ///< in the order of LocalEndpoint::qps; empty if not reported
  /// Measured time in seconds, up to the last completion. It begins at the end of the warm-up or, without a
  /// warm-up, at the start of traffic.
  double seconds = 0;
  /// Number of triggers of the run, regardless of the number of builders. Empty if there are no events.
  std::optional<std::uint64_t> events;
};

struct PeerTimeouts {
  std::chrono::milliseconds connect{5'000};
  /// Limit for each answer. It must exceed 1 s, because perftest sleeps for 1 s after accept().
  std::chrono::milliseconds step{15'000};
  std::chrono::milliseconds end{60'000};  ///< limit for the final report
};

/// A receiver between connect() and end(). Destroying the session without end() closes the connection, which
/// the receiver treats as a failed run.
class PeerSession {
 public:
  virtual ~PeerSession() = default;
  virtual const RemoteEndpoint& remote() const = 0;
  /// Returns once the receiver is ready; packets may be sent from then on.
  virtual void begin() = 0;
  /// Ends the exchange and returns the receiver's report on the run. Must also be called after a failed run.
  virtual nlohmann::json end(const PeerResults& results) = 0;
};

std::unique_ptr<PeerSession> connect(const PeerUrl& url, const LocalEndpoint& local,
                                     const PeerTimeouts& timeouts = {});

}  // namespace softfeb::peers
