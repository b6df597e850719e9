// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/uint128.hpp"
#include "fabric/config.hpp"
#include "fabric/flow_table.hpp"
#include "fabric/frame.hpp"
#include "roce/path.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::fabric {

/// Measures the throughput towards one egress port, in bytes on the wire, in consecutive windows.
class ThroughputMeter {
 public:
  explicit ThroughputMeter(const ThresholdForge& config)
      : window_(config.window),
        limit_(static_cast<std::uint64_t>(Uint128{config.threshold} * config.window / kSecond)) {}

  /// Counts a frame of `wire` bytes on the wire. Returns true if the throughput exceeded the threshold in the
  /// previous window.
  bool passes(std::uint64_t wire, Time now);

 private:
  Time window_;
  std::uint64_t limit_;
  Time begin_ = 0;  ///< start of the current window
  std::uint64_t bytes_ = 0;
  bool above_ = false;
};

/// Forges CNPs to the senders of passing packets. A request does not contain the QPN of its sender, so the
/// forge learns the QPN from acknowledgements: an acknowledgement from a station to a QP shows that this QP
/// sends to that station. QPs that are never acknowledged (UC) get no CNPs.
class CnpForge {
 public:
  static constexpr std::size_t kSenders = 1024;  ///< maximum number of known senders
  static constexpr std::size_t kMaxFrame = 128;

  CnpForge(Time interval, std::size_t flows);

  /// Learns the address of a sender from an acknowledgement to this sender.
  void acknowledgement(const Frame& frame, const FlowTable& flows);
  /// Handles a request towards a port above the threshold. Calls fn(ByteSpan) with a CNP for each QP that
  /// sends from the request's source to its destination. Skips QPs to which a CNP was sent less than
  /// `interval` ago.
  template <typename Fn>
  void request(const Frame& frame, const FlowTable& flows, Time now, Fn&& fn) {
    std::uint32_t& pair = pair_of_flow_[frame.flow];
    if (pair == kNone) pair = find_pair(flows.at(frame.flow).source, flows.at(frame.flow).destination);
    if (pair == kNone) return;
    for (std::uint32_t s = pairs_[pair].first; s != kNone; s = senders_[s].next) {
      if (now < senders_[s].next_cnp) continue;
      senders_[s].next_cnp = now + interval_;
      std::array<std::uint8_t, kMaxFrame> bytes;
      fn(ByteSpan(bytes.data(), craft(senders_[s], bytes)));
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// A pair of stations: source and destination of requests.
  struct Pair {
    std::uint32_t source = 0, destination = 0;
    std::uint32_t first = kNone;
  };
  struct Sender {
    roce::HeaderTemplate path;  ///< path of the acknowledgements, which the CNPs take as well
    std::uint32_t qpn = 0;
    Time next_cnp = 0;
    std::uint32_t next = kNone;  ///< next sender of the same pair
    std::uint16_t identification = 0;
  };

  std::uint32_t find_pair(std::uint32_t source, std::uint32_t destination);
  static std::size_t craft(Sender& sender, std::span<std::uint8_t, kMaxFrame> out);

  Time interval_;
  std::vector<Pair> pairs_;
  std::vector<Sender> senders_;
  std::vector<std::uint32_t> pair_of_flow_;  ///< indexed by the flow of requests
  std::vector<bool> known_;                  ///< indexed by the flow of acknowledgements
};

}  // namespace softfeb::fabric
