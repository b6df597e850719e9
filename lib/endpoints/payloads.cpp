// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/payloads.hpp"

#include "config/error.hpp"

namespace softfeb::endpoints {

namespace {

constexpr std::size_t kAlignment = 64;

[[noreturn]] void refuse(const config::Where& where, const std::string& what) {
  throw config::ConfigError({{where, what, "choose another payload or message_size"}});
}

}  // namespace

Payloads::Key Payloads::key_of(const config::QpConfig& qp) {
  return {qp.traffic.payload.kind, qp.traffic.payload.file, qp.traffic.message_size, qp.pmtu};
}

Payloads::Payloads(const config::RunConfig& config) {
  for (const auto& board : config.boards) {
    for (const auto& qp : board.qps) {
      const Key key = key_of(qp);
      if (sources_.contains(key)) continue;
      board::PayloadSpec spec;
      spec.kind = qp.traffic.payload.kind;
      spec.message_length = qp.traffic.message_size;
      spec.pmtu = qp.pmtu;
      spec.path = qp.traffic.payload.file;
      try {
        sources_.emplace(key, Entry{board::make_payload(spec), qp.traffic.payload.where});
      } catch (const board::PayloadError& e) {
        refuse(qp.traffic.payload.where, e.what());
      }
    }
    // The CRCs are prepared only for full packets, because other packet lengths are not known until the bus
    // creates QPs.
    if (board.control && !bus_) bus_ = board::make_payload({.message_length = board::kMaxPacketPayload});
    if (board.traffic_gen && !generated_)
      generated_ = board::make_test_pattern(board::TrafficGenSettings::kLongest);
  }
}

std::size_t Payloads::arena_bytes() const {
  std::size_t total = 0;
  for (const auto& [key, entry] : sources_) total += entry.source->arena_bytes() + kAlignment;
  if (bus_) total += bus_->arena_bytes() + kAlignment;
  if (generated_) total += generated_->arena_bytes() + kAlignment;
  return total;
}

void Payloads::stage(const Allocate& allocate) {
  for (auto& [key, entry] : sources_) {
    try {
      entry.source->fill(allocate(entry.source->arena_bytes()));
    } catch (const board::PayloadError& e) {
      refuse(entry.where, e.what());
    }
  }
  if (bus_) bus_->fill(allocate(bus_->arena_bytes()));
  if (generated_) generated_->fill(allocate(generated_->arena_bytes()));
}

const board::PayloadSource& Payloads::of(const config::QpConfig& qp) const {
  return *sources_.at(key_of(qp)).source;
}

}  // namespace softfeb::endpoints
