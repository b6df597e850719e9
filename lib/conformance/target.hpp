// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/case.hpp"
#include "conformance/script_packet.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softfeb::conformance {

/// What a target can do in addition to receiving packets. The suite only issues requests; either a session
/// with rdma-sink or softfeb's own receiver carries them out. If the configuration lists the target's queue
/// pairs, the requests are answered from this list.
struct Capabilities {
  bool fresh_qps = false;  ///< queue pairs can be opened and closed; otherwise only listed ones exist
  bool memory = false;
  bool receives = false;  ///< receives can be posted and completions read
  bool states = false;    ///< states can be read and changed, and queue pairs can have special attributes
  bool counters = false;
  bool v6 = false;
  bool vlan = false;
  bool two_ips = true;
  bool reads = false;
  bool atomics = false;
  bool sends = false;
  bool notification_point = false;
  bool line_rate = false;
  bool bounds = true;                    ///< no other memory is registered around the region
  std::uint32_t active_mtu = 1024;       ///< largest path MTU in bytes
  std::uint64_t max_message = 1U << 31;  ///< largest message in bytes
  std::uint64_t region_size = 0;         ///< size of the first region in bytes
};

/// Describes the target in results.
struct TargetDevice {
  std::string name;      ///< for example "rxe0" or "softfeb"
  std::string driver;    ///< empty if unknown
  std::string firmware;  ///< empty if unknown
  roce::IpAddress ip;
  roce::MacAddress mac{};
};

/// Opens a queue pair whose requester is `requester_qp` at `requester_ip`.
struct OpenRequest {
  QpSpec spec;
  roce::Psn psn = 0;
  roce::Qpn requester_qp = 0;
  roce::IpAddress requester_ip;
};
struct CloseRequest {
  roce::Qpn qp = 0;
};
struct ModifyRequest {
  roce::Qpn qp = 0;
  TargetState state = TargetState::kRtr;
};
struct StateRequest {
  roce::Qpn qp = 0;
};
struct ReceiveRequest {
  roce::Qpn qp = 0;
  std::uint32_t count = 0;
};
/// Sets all bytes of region 0 to kGuard.
struct FillRequest {};
/// Reads a range of a region.
struct ReadRequest {
  std::uint32_t region = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
/// Computes the CRC-32 (as zlib computes it) of a range of a region.
struct CrcRequest {
  std::uint32_t region = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
/// Reads and removes all completions that have arrived since the previous CompletionsRequest.
struct CompletionsRequest {};
struct CountersRequest {};
/// Asks whether a solicited event has been raised since the queue pair was opened.
struct EventRequest {
  roce::Qpn qp = 0;
};

using TargetRequest =
    std::variant<OpenRequest, CloseRequest, ModifyRequest, StateRequest, ReceiveRequest, FillRequest,
                 ReadRequest, CrcRequest, CompletionsRequest, CountersRequest, EventRequest>;

/// Value of all bytes of a region before a case.
inline constexpr std::uint8_t kGuard = 0xee;

/// A work completion that the target reports.
struct Completion {
  roce::Qpn qp = 0;
  bool success = true;
  std::string status;
  std::uint64_t length = 0;                  ///< received bytes; 0 if `success` is false
  std::optional<std::uint32_t> immediate{};  ///< in host order
};

/// Outcome of a request; only the members that belong to the request are set.
struct TargetReply {
  std::optional<std::string> error;  ///< why the target refused the request
  bool gone = false;                 ///< with `error`: the target no longer answers requests at all
  bool unsupported = false;          ///< with `error`: this target never supports the request
  roce::Qpn qp = 0;                  ///< for OpenRequest: QPN of the target
  /// For OpenRequest, if the queue pair already existed: the values that apply instead of those in the
  /// request. The target has then ignored the requester's QPN and the first PSN in the request.
  struct Fixed {
    roce::Qpn requester_qp = 0;
    roce::Psn psn = 0;
    RegionPlace region;
  };
  std::optional<Fixed> fixed;
  TargetState state = TargetState::kRts;
  std::vector<std::uint8_t> bytes;  ///< for ReadRequest: the bytes of the range
  std::uint32_t crc = 0;
  std::vector<Completion> completions;
  std::map<std::string, std::uint64_t> counters;
  bool event = false;
};

/// Returns the requirements of a case that the target does not fulfil, in words; empty if the case can run.
std::string why_not_applicable(const Case& c, const Capabilities& target);

}  // namespace softfeb::conformance
