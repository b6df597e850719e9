// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hello.hpp"
#include "qp_state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

/// Lines that a client sends in a conformance session (doc/rdma-sink.md). They come from the network, so
/// every field is validated. Unknown members are refused, because a misspelt attribute would make a test
/// meaningless.
namespace softfeb::sink {

inline constexpr std::size_t kMaxRequestLine = 64U << 10;   ///< bytes of a request
inline constexpr std::uint32_t kMaxRegions = 256;           ///< regions of a session at one time
inline constexpr std::uint32_t kMaxReceives = 1024;         ///< receives of a queue pair
inline constexpr std::uint32_t kMaxReceiveSize = 1U << 20;  ///< bytes of a receive
inline constexpr std::uint32_t kMaxRead = 1U << 20;         ///< bytes of an answer to `read`
inline constexpr std::uint64_t kDefaultRegion = 64U << 10;  ///< bytes of a region
inline constexpr std::uint64_t kMaxRegion = 1ULL << 40;     ///< bytes of a region; --memory may allow less
inline constexpr std::uint64_t kGuard = 4096;               ///< bytes before and after each region

/// The client's first line.
struct ConformanceHello {
  roce::IpAddress ip;  ///< the requester's RoCE address
};

/// Remote operations that a region or queue pair permits.
struct RemoteAccess {
  bool write = false;
  bool read = false;
  bool atomic = false;
};

struct RegionRequest {
  std::uint64_t size = kDefaultRegion;
  std::optional<RemoteAccess> access;  ///< if empty, all operations that the device supports
  /// If true, the region is in a protection domain that no queue pair uses.
  bool other_pd = false;
  bool deregistered = false;  ///< deregister the region after its registration, so that its rkey is invalid
};
struct RegionsRequest {
  std::vector<RegionRequest> regions;
};
struct FreeRequest {
  std::uint32_t region = 0;
};

struct OpenRequest {
  roce::Transport transport = roce::Transport::kRc;
  std::uint32_t pmtu = 1024;
  roce::Psn psn = 0;       ///< PSN of the first request
  roce::Qpn dest_qpn = 0;  ///< the requester's queue pair
  roce::IpAddress ip;      ///< the requester's RoCE address for this queue pair
  std::optional<RemoteAccess> access;
  std::uint32_t receives = 0;      ///< number of receives to post
  std::uint32_t receive_size = 0;  ///< bytes of each receive's buffer, for SENDs; 0 means no buffers
  std::optional<std::uint8_t> min_rnr_timer;
  std::uint8_t max_dest_rd_atomic = 1;
  QpState state = QpState::kRts;
};
struct ModifyRequest {
  roce::Qpn qpn = 0;
  QpState state = QpState::kRts;
};
struct StateRequest {
  roce::Qpn qpn = 0;
};
struct CloseRequest {
  roce::Qpn qpn = 0;
};
struct ReceiveRequest {
  roce::Qpn qpn = 0;
  std::uint32_t count = 0;
};

/// Bytes of a region and its guards. `offset` counts from the start of the region; it is negative in the
/// guard before it.
struct MemoryRange {
  std::uint32_t region = 0;
  std::int64_t offset = 0;
  std::uint64_t length = 0;
};
struct FillRequest {
  std::uint8_t byte = 0;
  std::optional<std::uint32_t> region;  ///< the region to fill; if empty, all regions
  std::optional<MemoryRange> range;     ///< the bytes to fill; if empty, the whole region without its guards
};
struct ReadRequest {
  MemoryRange range;
};
struct CrcRequest {
  MemoryRange range;
};

struct CompletionsRequest {};
struct ArmRequest {
  bool solicited = false;  ///< only messages with a solicited event, and errors, raise an event
};
struct EventRequest {};
struct CountersRequest {};

using ConformanceRequest = std::variant<RegionsRequest, FreeRequest, OpenRequest, ModifyRequest, StateRequest,
                                        CloseRequest, ReceiveRequest, FillRequest, ReadRequest, CrcRequest,
                                        CompletionsRequest, ArmRequest, EventRequest, CountersRequest>;

/// Returns true if the client's first line asks for a conformance session. Throws Refusal.
bool wants_conformance(const nlohmann::json& line);
/// The following functions throw Refusal. `line` is an object.
ConformanceHello parse_conformance_hello(const nlohmann::json& line);
ConformanceRequest parse_conformance_request(const nlohmann::json& line);

}  // namespace softfeb::sink
