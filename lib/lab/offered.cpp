// SPDX-License-Identifier: BSD-3-Clause
#include "lab/offered.hpp"

#include "base/uint128.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::lab {

namespace {

/// Bytes that a frame occupies on the wire in addition to its data: preamble, FCS and inter-frame gap.
constexpr std::uint64_t kFrameOverhead = 8 + 4 + 12;

std::uint64_t scale(std::uint64_t v, std::uint64_t by, std::uint64_t of) {
  return of == 0 ? 0 : static_cast<std::uint64_t>(Uint128{v} * by / of);
}

void lower_rate(std::optional<std::uint64_t>& least, std::uint64_t v) {
  least = std::min(least.value_or(v), v);
}

}  // namespace

Offered::Offered(std::uint64_t link_rate, std::uint64_t asked, std::vector<std::size_t> owners)
    : link_rate_(link_rate), asked_(asked), owners_(std::move(owners)) {}

Offered::Counts Offered::counts_of(const engine::EndpointSnapshot& board) const {
  Counts c;
  c.paused = board.paused;
  c.wire = board.endpoint.tx_bytes + kFrameOverhead * board.endpoint.tx_frames;
  for (const engine::SendQpSnapshot& qp : board.send_qps) {
    c.counted += qp.counters.counted_bytes;
    c.payload += qp.requester.payload_bytes;
  }
  for (const std::size_t q : owners_) {
    if (board.send_qps[q].congestion) c.rc += board.send_qps[q].congestion->rate;
  }
  return c;
}

std::optional<std::uint64_t> Offered::rate(const Counts& now) const {
  std::optional<std::uint64_t> least;
  if (link_rate_ != 0) lower_rate(least, link_rate_);
  if (asked_ != 0 && now.payload != 0) lower_rate(least, scale(asked_, now.wire, now.payload));
  if (now.rc != 0 && now.counted != 0)
    lower_rate(least, scale((now.rc + last_.rc) / 2, now.wire, now.counted));
  return least;
}

void Offered::add(const engine::EndpointSnapshot& board, Time length, bool sending) {
  const Counts now = counts_of(board);
  const auto limit = last_.wire == 0 ? std::nullopt : rate(now);
  const Time open = length - std::min(length, now.paused - last_.paused);
  if (sending && limit) {
    sent_ += now.wire - last_.wire;
    allowed_ += scale(*limit, open, kSecond);
  }
  last_ = now;
}

std::optional<Share> Offered::share() const {
  if (allowed_ == 0) return std::nullopt;
  return share_of(sent_, allowed_);
}

}  // namespace softfeb::lab
