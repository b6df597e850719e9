// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "peers/peer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// A conformance session of rdma-sink (doc/rdma-sink.md): what a client may request, and the JSON lines that
/// carry requests and answers. Sans-I/O.
namespace softfeb::peers {

/// Limits of rdma-sink on what one session may have at the same time.
struct SessionLimits {
  std::uint32_t qps = 0;
  std::uint32_t regions = 0;
  std::uint64_t memory = 0;        ///< maximum bytes of all regions, guards and receives together
  std::uint32_t receives = 0;      ///< maximum number of receives of a queue pair
  std::uint32_t receive_size = 0;  ///< maximum bytes of a receive
  /// Maximum number of posted receives plus completions that have not been requested yet.
  std::uint32_t completions = 0;
  std::uint8_t max_dest_rd_atomic = 0;
  std::uint32_t pmtu = 0;  ///< largest path MTU in bytes
  std::uint32_t read = 0;  ///< maximum number of bytes that one `read` returns; at least 1
};

/// The device under test, and the host that it belongs to.
struct TargetDevice {
  std::string name;      ///< for example "mlx5_0"
  std::string driver;    ///< kernel driver; empty if unknown
  std::string firmware;  ///< version of the device's firmware
  std::string kernel;    ///< release of the host's kernel
  std::uint32_t vendor_id = 0;
  std::uint32_t vendor_part_id = 0;
  roce::IpAddress ip;  ///< address to which the requester that opened the session sends packets
  /// MAC address of the receiver, if the receiver knows it. Otherwise, it is resolved by ARP or neighbour
  /// discovery.
  std::optional<roce::MacAddress> mac;
  std::uint32_t active_mtu = 0;   ///< bytes
  std::uint32_t max_message = 0;  ///< bytes
  bool atomics = false;           ///< true if the device carries out atomic operations
  std::uint64_t guard = 0;        ///< readable bytes before and after each region
  SessionLimits limits;
};

/// Remote operations that a region or queue pair permits.
struct RemoteAccess {
  bool write = true;
  bool read = true;
  bool atomic = true;
};

struct RegionRequest {
  std::uint64_t size = 64U << 10;        ///< bytes
  std::optional<RemoteAccess> access{};  ///< if empty, all operations that the device supports
  /// If true, the region is in a protection domain that no queue pair uses.
  bool other_pd = false;
  /// If true, the region is registered and then deregistered, so that its rkey is invalid.
  bool deregistered = false;
};

struct Region {
  std::uint32_t index = 0;    ///< number of the region; unique within the session
  std::uint64_t address = 0;  ///< virtual address
  std::uint32_t rkey = 0;
  std::uint64_t size = 0;  ///< bytes
};

/// Bytes of a region and of the guards before and after it. `offset` counts from the start of the region; it
/// is negative in the guard before it.
struct MemoryRange {
  std::uint32_t region = 0;
  std::int64_t offset = 0;
  std::uint64_t length = 0;
};

/// States that a client may request.
enum class QpState : std::uint8_t { kInit, kRtr, kRts, kErr };

/// Request to open a queue pair at the receiver and to connect it to one of our queue pairs.
struct OpenQp {
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;             ///< path MTU in bytes
  roce::Psn psn = 0;                     ///< PSN of our first request
  roce::Qpn dest_qpn = 0;                ///< number of our queue pair
  roce::IpAddress ip;                    ///< our RoCE address for this queue pair
  std::optional<RemoteAccess> access{};  ///< if empty, all operations that device and transport support
  std::uint32_t receives = 0;            ///< receives to post
  std::uint32_t receive_size = 0;        ///< bytes of each receive, for SENDs
  /// RNR timer code (RC); if empty, the code that rdma-sink was given as --min-rnr-timer.
  std::optional<std::uint8_t> min_rnr_timer{};
  /// Maximum number of outstanding READs and atomics that the queue pair accepts (RC).
  std::uint8_t max_dest_rd_atomic = 1;
  QpState state = QpState::kRts;
};

struct OpenedQp {
  roce::Qpn qpn = 0;
  roce::IpAddress ip;                     ///< destination of our packets
  std::optional<roce::MacAddress> mac{};  ///< see TargetDevice::mac
};

/// Completion of a receive. After an error, only `qpn` and `status` are known.
struct Completion {
  roce::Qpn qpn = 0;
  std::string status;                   ///< "success", or the name of the error in libibverbs
  std::optional<std::string> opcode{};  ///< "recv" (SEND), "recv_rdma_with_imm", or a number
  std::optional<std::uint32_t> byte_len{};
  std::optional<std::uint32_t> immediate{};  ///< in host order
};

/// Completions that raise an event.
enum class EventTrigger : std::uint8_t {
  kSolicited,  ///< for messages with a solicited event, and for errors
  kAny,
};

}  // namespace softfeb::peers

/// Encoders return a line with its terminator. Decoders throw PeerError, without the peer's name, if an
/// answer is invalid; an answer of the form {"error": …} becomes a PeerError (kConfiguration).
namespace softfeb::peers::sink {

/// Encodes the first line of a session. `ip` is our RoCE address.
std::string encode_conformance_hello(const roce::IpAddress& ip);
/// Decodes the answer to the first line. If rdma-sink is too old for conformance sessions, throws a PeerError
/// (kConfiguration) that says so.
TargetDevice decode_target(std::string_view line);

std::string encode_regions(const std::vector<RegionRequest>& regions);
std::vector<Region> decode_regions(std::string_view line, const std::vector<RegionRequest>& requested);
std::string encode_free(std::uint32_t region);

std::string encode_open(const OpenQp& qp);
OpenedQp decode_open(std::string_view line);
std::string encode_modify(roce::Qpn qpn, QpState state);
std::string encode_state(roce::Qpn qpn);
/// Decodes the answer to `modify` and `state`: "RESET", "INIT", "RTR", "RTS", "ERR" or "unknown".
std::string decode_state(std::string_view line);
std::string encode_close(roce::Qpn qpn);
std::string encode_receive(roce::Qpn qpn, std::uint32_t count);

/// Encodes a request to fill all regions, but not their guards.
std::string encode_fill(std::uint8_t byte);
std::string encode_fill(std::uint8_t byte, const MemoryRange& range);
std::string encode_read(const MemoryRange& range);
std::vector<std::uint8_t> decode_data(std::string_view line, std::uint64_t length);
std::string encode_crc(const MemoryRange& range);
std::uint32_t decode_crc(std::string_view line);

std::string encode_completions();
std::vector<Completion> decode_completions(std::string_view line);
std::string encode_arm(EventTrigger trigger);
std::string encode_event();
bool decode_event(std::string_view line);
std::string encode_counters();
/// Returns {"hw_counters": …, "counters": …}; each is an object of numbers, or null.
nlohmann::json decode_counters(std::string_view line);
/// Checks an answer that only confirms the request: it must have the member `key`.
void decode_done(std::string_view line, const char* key);

}  // namespace softfeb::peers::sink
