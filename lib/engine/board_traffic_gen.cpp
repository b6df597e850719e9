// SPDX-License-Identifier: BSD-3-Clause
// Sends the packets of the traffic generator: datagrams directly, WRITEs through queue pairs.
#include "engine/board.hpp"

#include <algorithm>

namespace softfeb::engine {

void Board::add_generator(const BoardConfig& config) {
  const TrafficGenConfig& own = *config.traffic_gen;
  generator_ = std::make_unique<TrafficGen>(own, identity(), host_.neighbours());
  for (std::uint32_t i = 0; i < own.qps; ++i) {
    const SendQpConfig& qp = config.qps[i];
    GeneratedWrites writes;
    writes.address = qp.traffic.remote_address;
    writes.rkey = qp.traffic.rkey;
    writes.slots = qp.traffic.slots;
    writes.slot_bytes = qp.traffic.plan.message_length();
    writes.headers = static_cast<std::uint32_t>(qps_[i].headers().size() + roce::Bth::kSize);
    writes.pmtu = qp.requester.pmtu;
    writes.window =
        qp.requester.transport == roce::Transport::kRc ? qp.requester.window_requests : UINT32_MAX;
    generator_->add_queue_pair(writes);
  }
}

void Board::act(const board::SetTrafficGen& a, Time now) {
  if (generator_) generator_->write(a, now);
}

/// True if nothing except congestion control would delay the next WRITE after it is posted. If a WRITE waited
/// for the window, the gap between this WRITE and the following one would be too short.
bool Board::may_post_generated() const {
  const std::uint32_t i = generator_->queue_pair();
  const SendQp& qp = qps_[i];
  const std::uint64_t in_flight = qp.messages_made() - qp.requester().messages_completed();
  return qp.resolved() && qp.requester().can_post() && in_flight < generator_->window(i);
}

void Board::post_generated(Time now) {
  using Mode = board::TrafficGenSettings::Mode;
  while (generator_->mode() == Mode::kWrite && generator_->due() <= now && link_.open(now) &&
         link_open_at() <= now) {
    const std::uint32_t i = generator_->queue_pair();
    if (qps_[i].requester().state() == roce::QpState::kErr) return generator_->stop();
    if (!may_post_generated()) return;
    const Time due = generator_->due();
    qps_[i].post(generator_->take_write(now), now, due);
    reschedule(i, now);
  }
}

std::size_t Board::send_generated(Time now, std::span<TxFrame> out) {
  using Mode = board::TrafficGenSettings::Mode;
  const auto due = [&] {
    return generator_->mode() == Mode::kUdp && generator_->due() <= now && link_.open(now) &&
           pause_.until(pause_.priority(generator_->headers())) <= now;
  };
  std::size_t n = 0;
  while (n < out.size() && due()) {
    if (!datagram_next_ && !ready_.empty()) {
      n += send_packets(now, out.subspan(n, 1));
      datagram_next_ = true;
      continue;
    }
    generator_->write_datagram(identification_++, now, out[n]);
    const std::uint32_t length = out[n++].length();
    link_.sent(length, now);
    counters_.tx_bytes += length;
    datagram_next_ = false;
  }
  return n + send_packets(now, out.subspan(n));
}

/// Time at which the generator's next packet may leave; kNever if there is no next packet, or if it must wait
/// for an acknowledgement or a MAC address.
Time Board::generator_event(Time now) const {
  using Mode = board::TrafficGenSettings::Mode;
  const Time due = generator_->due();
  if (due == kNever) return kNever;
  const bool write = generator_->mode() == Mode::kWrite;
  if (write) {
    const roce::QpState state = qps_[generator_->queue_pair()].requester().state();
    if (state != roce::QpState::kErr && !may_post_generated()) return kNever;
  }
  const Time open = write ? link_open_at() : pause_.until(pause_.priority(generator_->headers()));
  return std::max({now, due, link_.free_at(), open});
}

}  // namespace softfeb::engine
