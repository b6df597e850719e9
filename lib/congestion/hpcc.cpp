// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/hpcc.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::congestion {

namespace {

double base_rtt_seconds(const HpccParameters& p) { return to_seconds(p.base_rtt); }

}  // namespace

Hpcc::Hpcc(const HpccParameters& parameters)
    : CongestionControl(kOnAck | kOnNak | kWindow),
      window_(static_cast<double>(parameters.line_rate) * base_rtt_seconds(parameters)),
      pacer_(window_ / base_rtt_seconds(parameters)),
      reference_(window_),
      u_(parameters.initial_u),
      parameters_(parameters) {
  static_assert(sizeof(Hpcc) <= 256, "memory of a queue pair");
}

CongestionControl::Departure Hpcc::find_departure(std::uint32_t, Time) { return {pacer_.departure(), true}; }

CongestionControl::Departure Hpcc::on_sent_then_departure(std::uint32_t bytes, std::uint32_t, Time now) {
  pacer_.sent(bytes, now);
  return {pacer_.departure(), true};
}

std::uint64_t Hpcc::find_window() const {
  // Rounding up does not change when packets may leave, because the number of bytes in flight is an integer.
  return static_cast<std::uint64_t>(std::ceil(std::min(std::max(window_, 1.0), 1e18)));
}

void Hpcc::on_ack(const Ack& ack, Time now) {
  const auto records = ack.records.first(std::min(ack.records.size(), kMaxIntRecords));
  if (records.empty()) return;
  if (!comparable(records, ack.path, now)) {
    keep(records, ack.path, now);
    if (last_update_ == 0) last_update_ = ack.sent;
    return;
  }
  const std::optional<Load> load = busiest_port(records);
  if (!load) return;  // without a usable load, keep the previous records
  average(*load);
  adjust(ack.acked > last_update_, ack.sent, now);
  keep(records, ack.path, now);
}

/// True if the previous records are from the same ports, and recent enough for the counters to be compared.
bool Hpcc::comparable(std::span<const IntRecord> records, std::uint16_t path, Time now) const {
  const Time age = now - heard_;
  if (count_ == 0 || records.size() != count_ || path != path_ || age > parameters_.stale_after) return false;
  constexpr auto kHalfRange = static_cast<double>(IntRecord::kTxUnit << (IntRecord::kTxBits - 1));
  return std::none_of(records.begin(), records.end(), [age](const IntRecord& r) {
    return static_cast<double>(r.rate()) * to_seconds(age) >= kHalfRange;
  });
}

void Hpcc::keep(std::span<const IntRecord> records, std::uint16_t path, Time now) {
  std::copy(records.begin(), records.end(), seen_.begin());
  count_ = static_cast<std::uint8_t>(records.size());
  path_ = path;
  heard_ = now;
}

/// Returns the load of the busiest port (MeasureInflight of algorithm 1). Returns nothing if a record has not
/// advanced since the previous record of the same port, or if no record is usable.
std::optional<Hpcc::Load> Hpcc::busiest_port(std::span<const IntRecord> records) const {
  const double base_rtt = base_rtt_seconds(parameters_);
  Load load;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const IntRecord& now = records[i];
    const IntRecord& before = seen_[i];
    if (now.rate() == 0) continue;
    const std::int64_t elapsed = now.elapsed_since(before);
    const std::int64_t sent = now.sent_since(before);
    if (elapsed <= 0 || sent < 0) return std::nullopt;
    const auto interval = static_cast<Time>(elapsed);
    const auto rate = static_cast<double>(now.rate());
    const double tx_rate = static_cast<double>(sent) / to_seconds(interval);
    const double u = std::min(now.queue_bytes(), before.queue_bytes()) / (rate * base_rtt) + tx_rate / rate;
    if (load.u < u) load = {u, interval};
  }
  return load.interval == 0 ? std::nullopt : std::optional(load);
}

/// Averages U over a base RTT.
void Hpcc::average(const Load& load) {
  const Time t = parameters_.base_rtt;
  const double weight = static_cast<double>(std::min(load.interval, t)) / static_cast<double>(t);
  u_ = (1 - weight) * u_ + weight * load.u;
}

/// Adjusts the window (ComputeWind of algorithm 1). The reference window changes once per round trip, so all
/// acknowledgements of a round trip use the same reference.
void Hpcc::adjust(bool new_round, std::uint64_t sent, Time now) {
  const HpccParameters& p = parameters_;
  const bool multiplicative = u_ >= p.eta || stage_ >= p.max_stage;
  window_ = bounded((multiplicative ? reference_ / (u_ / p.eta) : reference_) + p.w_ai);
  pacer_.set_rate(window_ / base_rtt_seconds(p), now);
  if (!new_round) return;
  stage_ = multiplicative ? 0 : stage_ + 1;
  reference_ = window_;
  last_update_ = sent;
}

double Hpcc::bounded(double window) const {
  const double t = base_rtt_seconds(parameters_);
  return std::min(std::max(window, static_cast<double>(parameters_.min_rate) * t),
                  static_cast<double>(parameters_.line_rate) * t);
}

void Hpcc::on_nak(Nak nak, Time) {
  if (nak == Nak::kTimeout) count_ = 0;
}

void Hpcc::set_parameters(const HpccParameters& parameters, Time now) {
  forget();
  parameters_ = parameters;
  window_ = bounded(window_);
  reference_ = bounded(reference_);
  pacer_.set_rate(window_ / base_rtt_seconds(parameters), now);
}

CongestionState Hpcc::state(Time) const {
  const auto rate = static_cast<std::uint64_t>(std::llround(this->rate()));
  return {.rate = rate, .target_rate = rate, .stage = stage_, .window = window_, .utilization = u_};
}

}  // namespace softfeb::congestion
