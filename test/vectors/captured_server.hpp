// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_capture.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace softfeb::test {

/// Tracks what the captured server sent: its messages, and which of its data segments an acknowledge number
/// covers. Another server numbers its segments differently, because NULs also use sequence numbers.
/// Therefore only the counts of data segments can be compared.
class CapturedServer {
 public:
  void on_segment(const srp::rssi::Segment& segment);
  /// Handles a gap in the capture. By the end of the gap, the client has acknowledged everything up to
  /// `client_ack`.
  void after_hole(std::uint8_t client_ack);

  /// Number of data segments covered by the acknowledge number `ack`; empty if no captured segment contained
  /// `ack`.
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
  std::optional<std::vector<std::uint8_t>> syn_ack_;  ///< SYN/ACK of the connection that opened
  MessageCollector collector_;
};

}  // namespace softfeb::test
