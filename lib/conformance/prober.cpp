// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/prober.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace softfeb::conformance {

namespace {

/// Returns the Ethernet header of a parsed frame, as it was received.
std::vector<std::uint8_t> ethernet_of(const roce::ParsedFrame& frame) {
  std::vector<std::uint8_t> out(frame.dest_mac.begin(), frame.dest_mac.end());
  out.insert(out.end(), frame.source_mac.begin(), frame.source_mac.end());
  const auto append = [&out](unsigned word) {
    out.push_back(static_cast<std::uint8_t>(word >> 8));
    out.push_back(static_cast<std::uint8_t>(word));
  };
  if (frame.vlan) {
    append(roce::kEtherTypeVlan);
    append(static_cast<unsigned>(frame.vlan->pcp) << 13 | frame.vlan->id);
  }
  append(frame.dest_ip.is_v4() ? roce::kEtherTypeIpv4 : roce::kEtherTypeIpv6);
  return out;
}

}  // namespace

void Prober::receive_roce(const roce::ParsedFrame& frame, Time now) {
  ++counters_.rx_roce;
  if (answers_.size() >= kMostAnswers) return;
  const std::vector<std::uint8_t> ethernet = ethernet_of(frame);
  Segments whole{ByteSpan(ethernet)};
  bool fits = true;
  frame.datagram.for_each([&](ByteSpan part) { fits = fits && whole.push(part); });
  if (!fits) return;
  if (auto answer = read_answer(whole, frame, now)) answers_.push_back(std::move(*answer));
}

std::size_t Prober::poll(Time now, std::span<engine::TxFrame> out) {
  in_flight_.clear();
  std::size_t n = poll_host(now, out);
  while (n < out.size() && !solicited_.empty()) {
    host_.write_request(solicited_.back(), out[n++]);
    solicited_.pop_back();
  }
  for (; n < out.size() && !queue_.empty(); ++n) {
    const auto& frame = in_flight_.emplace_back(std::move(queue_.front()));
    queue_.pop_front();
    engine::TxFrame& to = out[n];
    const std::size_t head = std::min<std::size_t>(frame.size(), engine::TxFrame::kHeaderRoom);
    std::copy_n(frame.begin(), head, to.header);
    to.header_length = static_cast<std::uint16_t>(head);
    to.payload = frame.data() + head;
    to.payload_length = static_cast<std::uint32_t>(frame.size() - head);
    to.trailer_length = 0;
    to.transient_payload = true;
    to.message = 0;
  }
  for (std::size_t k = 0; k < n; ++k) {
    ++counters_.tx_frames;
    counters_.tx_bytes += out[k].length();
  }
  return n;
}

Time Prober::next_event(Time now) const {
  return queue_.empty() && solicited_.empty() ? host_event(now) : now;
}

}  // namespace softfeb::conformance
