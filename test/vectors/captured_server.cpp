// SPDX-License-Identifier: BSD-3-Clause
#include "captured_server.hpp"

namespace softfeb::test {

namespace rssi = srp::rssi;

void CapturedServer::on_segment(const rssi::Segment& segment) {
  if (segment.syn) return begin(segment);
  if (segment.bare()) return;
  const std::uint8_t step = rssi::ahead(last_, segment.header.sequence);
  if (step == 0 || step >= 128) {
    ++retransmitted_;
    return;
  }
  last_ = segment.header.sequence;
  if (!segment.payload.empty()) {
    ++data_;
    collector_.push(segment.payload);
  }
  data_up_to_[last_] = data_;
}

void CapturedServer::begin(const rssi::Segment& syn) {
  // Ignore a retransmitted SYN/ACK. If the client's ACK was in flight, the retransmission may even follow
  // data segments.
  if (syn_ack_ && data_up_to_[syn.header.sequence]) return;
  last_ = syn.header.sequence;
  data_up_to_.fill(std::nullopt);
  data_up_to_[last_] = data_;
  const auto bytes = rssi::encode_syn(syn.header, *syn.syn);
  syn_ack_.emplace(bytes.begin(), bytes.end());
  collector_.reset();
}

void CapturedServer::after_hole(std::uint8_t client_ack) {
  last_ = client_ack;
  data_up_to_.fill(std::nullopt);
  data_up_to_[last_] = data_;
  collector_.reset();
}

}  // namespace softfeb::test
