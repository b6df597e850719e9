// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "congestion/homa.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

namespace softfeb::test {

/// A model of a board whose queue pairs run Homa. It uses congestion::Homa as the engine does, but with
/// packet numbers instead of frames.
class HomaBoard {
 public:
  struct Packet {
    std::uint32_t lane;    ///< queue pair that sends the packet
    std::uint64_t number;  ///< number of the packet, counted from 0
    std::uint8_t priority;
    bool ack_req;

    bool operator==(const Packet&) const = default;
  };
  /// How a board reacts to a RESEND: not at all, by retransmitting, or by sending BUSY.
  enum class Answer : std::uint8_t { kNone, kGoBack, kBusy };

  HomaBoard(const congestion::HomaParameters& parameters, std::size_t lanes, std::uint32_t messages)
      : rules_(parameters) {
    for (std::size_t i = 0; i < lanes; ++i) lanes_.emplace_back(parameters, messages);
  }

  void post(std::uint32_t lane, std::uint32_t length) {
    lanes_[lane].end += rules_.packets(length);
    lanes_[lane].homa->posted(length, posted_++, 0);
  }
  void grant(std::uint32_t lane, std::uint64_t granted, std::uint8_t priority) {
    lanes_[lane].homa->granted(granted, priority, 0);
  }
  Answer resend(std::uint32_t lane, std::uint64_t first, std::uint64_t granted, std::uint8_t priority) {
    grant(lane, granted, priority);
    const Lane& q = lanes_[lane];
    if (first < q.acked) return Answer::kNone;
    if (first >= q.highest) return Answer::kBusy;
    go_back(lane);
    return Answer::kGoBack;
  }
  void ack(std::uint32_t lane, std::uint64_t acked) {
    Lane& q = lanes_[lane];
    if (acked <= q.acked || acked > q.highest) return;
    congestion::Ack report;
    report.packets = static_cast<std::uint32_t>(acked - q.acked);
    report.acked = q.acked = acked;
    q.next = std::max(q.next, acked);
    q.homa->ack(report, 0);
  }
  void go_back(std::uint32_t lane) { lanes_[lane].next = lanes_[lane].acked; }
  std::optional<Packet> send() {
    const auto best = next_lane();
    if (!best) return std::nullopt;
    Lane& q = lanes_[*best];
    const std::uint64_t number = q.next++;
    const bool closes = q.next >= q.homa->credit(number);
    const bool ends = q.homa->rank(number) >> 32 == 1;
    q.highest = std::max(q.highest, q.next);
    return Packet{*best, number, q.homa->priority(number), ends || closes};
  }
  /// Queue pair of the next packet; nullopt if no packet may leave.
  std::optional<std::uint32_t> next_lane() const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
      const Lane& q = lanes_[i];
      if (q.next >= q.end || q.next >= q.homa->credit(q.next)) continue;
      if (!best || q.homa->rank(q.next) < lanes_[*best].homa->rank(lanes_[*best].next)) best = i;
    }
    return best;
  }

  std::uint64_t next(std::uint32_t lane) const { return lanes_[lane].next; }
  std::uint64_t acked(std::uint32_t lane) const { return lanes_[lane].acked; }
  std::uint64_t granted(std::uint32_t lane) const { return lanes_[lane].homa->granted_packets(); }
  congestion::Homa& homa(std::uint32_t lane) { return *lanes_[lane].homa; }

 private:
  struct Release {
    void operator()(congestion::Homa* homa) const {
      std::destroy_at(homa);
      ::operator delete (homa, std::align_val_t{64});
    }
  };
  struct Lane {
    Lane(const congestion::HomaParameters& parameters, std::uint32_t messages)
        : homa(
              congestion::Homa::make(::operator new (congestion::Homa::bytes(messages), std::align_val_t{64}),
                                     parameters, messages)) {}

    std::unique_ptr<congestion::Homa, Release> homa;
    std::uint64_t end = 0;      ///< number of packets posted
    std::uint64_t next = 0;     ///< number of the next packet to send
    std::uint64_t highest = 0;  ///< number of packets sent at least once
    std::uint64_t acked = 0;
  };

  congestion::HomaRules rules_;
  std::uint64_t posted_ = 0;
  std::vector<Lane> lanes_;
};

}  // namespace softfeb::test
