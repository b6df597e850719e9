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

/// Throughput towards one egress port: bytes on the wire in windows that follow each other.
class ThroughputMeter {
 public:
  explicit ThroughputMeter(const ThresholdForge& config)
      : window_(config.window),
        limit_(static_cast<std::uint64_t>(Uint128{config.threshold} * config.window / kSecond)) {}

  /// A frame of `wire` bytes goes there. True when there was more than the threshold in the window before.
  bool passes(std::uint64_t wire, Time now);

 private:
  Time window_;
  std::uint64_t limit_;
  Time begin_ = 0;  ///< of the window
  std::uint64_t bytes_ = 0;
  bool above_ = false;
};

/// Forges CNPs to the senders of what passes. A request does not say which queue pair sent it, but
/// acknowledgements are addressed to it: whoever is acknowledged by a station sends to that station. What is
/// never acknowledged (UC) gets no CNPs.
class CnpForge {
 public:
  static constexpr std::size_t kSenders = 1024;  ///< that are known
  static constexpr std::size_t kMaxFrame = 128;

  explicit CnpForge(Time interval);

  /// An acknowledgement passes.
  void acknowledgement(const Frame& frame, const FlowTable& flows);
  /// A request passes towards a port above the threshold: calls fn(ByteSpan) with a CNP for each queue pair
  /// that sends from its source to its destination and had none within the interval.
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

  /// Stations: who sends, to whom.
  struct Pair {
    std::uint32_t source = 0, destination = 0;
    std::uint32_t first = kNone;
  };
  struct Sender {
    roce::HeaderTemplate path;  ///< as the acknowledgements have it
    std::uint32_t qpn = 0;
    Time next_cnp = 0;
    std::uint32_t next = kNone;  ///< of its pair
    std::uint16_t identification = 0;
  };

  std::uint32_t find_pair(std::uint32_t source, std::uint32_t destination);
  static std::size_t craft(Sender& sender, std::span<std::uint8_t, kMaxFrame> out);

  Time interval_;
  std::vector<Pair> pairs_;
  std::vector<Sender> senders_;
  std::vector<std::uint32_t> pair_of_flow_;  ///< that has requests
  std::vector<bool> known_;                  ///< of acknowledgements
};

}  // namespace softfeb::fabric
