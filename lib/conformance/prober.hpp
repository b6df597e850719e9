// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/answer.hpp"
#include "engine/endpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace softfeb::conformance {

/// The board's end of the wire. Sends frames unchanged, and keeps the RoCEv2 packets that arrive for its
/// address. Answers ARP requests, neighbour solicitations and pings like a board. Owned by the thread that
/// runs the port; sans-I/O.
class Prober final : public engine::Endpoint {
 public:
  explicit Prober(const engine::Identity& identity) : Endpoint(identity) {}

  /// Queues a frame, which may contain anything.
  void send(std::vector<std::uint8_t> frame) { queue_.push_back(std::move(frame)); }
  /// Requests the MAC address of `ip` (by ARP or neighbour solicitation) with the next poll().
  void resolve(const roce::IpAddress& ip) { solicited_.push_back(ip); }
  /// Returns the packets that have arrived since the last call.
  std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }
  std::size_t waiting() const { return queue_.size(); }

  std::size_t poll(Time now, std::span<engine::TxFrame> out) override;
  Time next_event(Time now) const override;
  std::size_t qp_count() const override { return 0; }
  void prepare(engine::EndpointSnapshot& /*out*/) const override {}
  void copy_statistics(engine::EndpointSnapshot& /*out*/, std::size_t /*first*/, std::size_t /*last*/,
                       Time /*now*/) const override {}

 private:
  /// Maximum number of received packets that are kept until take_answers() is called. Further packets are
  /// dropped, so that a flood cannot exhaust memory.
  static constexpr std::size_t kMostAnswers = 65'536;

  void receive_roce(const roce::ParsedFrame& frame, Time now) override;
  void receive_congestion(const roce::ParsedFrame& /*frame*/, const roce::CongestionHeader& /*header*/,
                          Time /*now*/) override {}

  std::deque<std::vector<std::uint8_t>> queue_;
  /// The frames to which the result of the latest poll() refers.
  std::deque<std::vector<std::uint8_t>> in_flight_;
  std::vector<roce::IpAddress> solicited_;
  std::vector<Answer> answers_;
};

}  // namespace softfeb::conformance
