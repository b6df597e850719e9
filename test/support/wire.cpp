// SPDX-License-Identifier: BSD-3-Clause
#include "wire.hpp"

namespace softfeb::test {

Wire::Wire(const std::vector<engine::Endpoint*>& endpoints, std::uint64_t seed) : rng_(seed) {
  for (engine::Endpoint* e : endpoints) add(*e);
}

void Wire::add(engine::Endpoint& endpoint) {
  demux_.insert(endpoint.identity(), static_cast<std::uint32_t>(endpoints_.size()));
  endpoints_.push_back(&endpoint);
}

void Wire::run_until(Time end) {
  for (;;) {
    collect();
    const Time next = next_event();
    if (next > end) break;
    now = std::max(now, next);
    deliver();
  }
  now = end;
  collect();
}

void Wire::skip(Time by) {
  now += by;
  deliver();
}

void Wire::collect() {
  std::array<engine::TxFrame, kBurst> out;
  for (engine::Endpoint* e : endpoints_) {
    for (std::size_t n = kBurst; n == kBurst;) {
      for (std::size_t i = 0; i < kBurst; ++i) out[i] = {.header = rooms_[i].data()};
      n = e->poll(now, out);
      for (std::size_t i = 0; i < n; ++i) take(*e, out[i]);
    }
  }
}

void Wire::take(engine::Endpoint& from, const engine::TxFrame& frame) {
  if (tap && !tap(from, frame)) return;
  const Bytes bytes = bytes_of(frame);
  ++sent;
  if (keep_log) log.push_back(bytes);
  if (rng_.chance(loss)) {
    ++lost;
    return;
  }
  for (int copies = rng_.chance(duplicate) ? 2 : 1; copies > 0; --copies) {
    const Time at = now + delay + (rng_.chance(reorder) ? rng_.below(10 * kMicrosecond) : 0);
    const auto where = std::upper_bound(flight_.begin(), flight_.end(), at,
                                        [](Time t, const InFlight& x) { return t < x.at; });
    flight_.insert(where, {at, bytes});
  }
}

Time Wire::next_event() const {
  Time next = flight_.empty() ? kNever : flight_.front().at;
  for (const engine::Endpoint* e : endpoints_) next = std::min(next, e->next_event(now));
  return next;
}

void Wire::deliver() {
  while (!flight_.empty() && flight_.front().at <= now) {
    const Bytes bytes = std::move(flight_.front().bytes);
    flight_.pop_front();
    inject(bytes);
  }
  for (engine::Endpoint* e : endpoints_) e->end_of_burst(now);
}

void Wire::inject(const Segments& frame) {
  const roce::ParsedFrame parsed = roce::parse_frame(frame);
  if (parsed.kind == roce::FrameKind::kMacControl) {
    const std::uint64_t before = arrived;
    demux_.for_each_paused(parsed.dest_mac, [&](std::uint32_t to) {
      endpoints_[to]->receive(parsed, now);
      ++arrived;
    });
    if (arrived == before) ++unclaimed;
    return;
  }
  const std::uint32_t to = demux_.find(parsed);
  if (to == engine::Demux::kNobody) {
    ++unclaimed;
    return;
  }
  ++arrived;
  if (bursts) {
    endpoints_[to]->expect(parsed);
    endpoints_[to]->receive_in_burst(parsed, now);
  } else {
    endpoints_[to]->receive(parsed, now);
  }
}

}  // namespace softfeb::test
