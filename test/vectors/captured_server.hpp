// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_capture.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace softfeb::test {

/// Tracks the messages that the captured server sent, and how many of its data segments an acknowledge number
/// covers. To compare two servers, compare these numbers of data segments. Sequence numbers cannot be
/// compared, because NULs also use sequence numbers.
class CapturedServer {
 public:
  void on_segment(const srp::rssi::Segment& segment);
  /// Handles a gap in the capture. By the end of the gap, the client has acknowledged everything up to
  /// `client_ack`.
  void after_hole(std::uint8_t client_ack);

  /// Returns the number of data segments that the acknowledge number `ack` covers. Returns nullopt if no
  /// captured segment has sequence number `ack`.
  std::optional<std::size_t> data_up_to(std::uint8_t ack) const { return data_up_to_[ack]; }
  std::size_t data() const { return data_; }
  std::size_t retransmitted() const { return retransmitted_; }
  std::optional<std::vector<std::uint8_t>> syn_ack() const { return syn_ack_; }
  const std::vector<CapturedMessage>& messages() const { return collector_.messages(); }

 private:
  void begin(const srp::rssi::Segment& syn);

  std::array<std::optional<std::size_t>, 256> data_up_to_{};
  std::uint8_t last_ = 0;
  std::size_t data_ = 0;
  std::size_t retransmitted_ = 0;
  std::optional<std::vector<std::uint8_t>> syn_ack_;  ///< the SYN/ACK with which the connection was opened
  MessageCollector collector_;
};

}  // namespace softfeb::test
