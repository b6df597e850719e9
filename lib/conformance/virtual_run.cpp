// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/virtual_run.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace softfeb::conformance {

namespace {

constexpr Time kWireDelay = kMicrosecond;
/// A run at line rate must be short, because each packet costs computing time.
constexpr Time kLongestTraffic = 5 * kMillisecond;

engine::Identity address(std::uint8_t last, const char* ip, std::uint8_t prefix) {
  return {.mac = {0x02, 0, 0, 0, 0, last}, .ip = *roce::IpAddress::parse(ip), .prefix_length = prefix};
}

/// The addresses of the boards: two IPv4 addresses and an IPv6 address, all with the same MAC address.
struct BoardAddresses {
  engine::Identity first = address(1, "10.0.0.1", 24);
  engine::Identity second = address(1, "10.0.0.11", 24);
  engine::Identity v6 = address(1, "fd00::1", 64);
};

roce::Path path(const engine::Identity& from, const engine::Identity& to) {
  return {.source_mac = from.mac, .dest_mac = to.mac, .source_ip = from.ip, .dest_ip = to.ip};
}

}  // namespace

void VirtualWire::add(engine::Endpoint& endpoint) {
  demux_.insert(endpoint.identity(), static_cast<std::uint32_t>(endpoints_.size()));
  endpoints_.push_back(&endpoint);
}

void VirtualWire::collect(Time now) {
  std::array<engine::TxFrame, kBurst> out;
  for (engine::Endpoint* e : endpoints_) {
    for (std::size_t n = kBurst; n == kBurst;) {
      for (std::size_t i = 0; i < kBurst; ++i) out[i] = {.header = rooms_[i].data()};
      n = e->poll(now, out);
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<std::uint8_t> bytes(out[i].header, out[i].header + out[i].header_length);
        bytes.insert(bytes.end(), out[i].payload, out[i].payload + out[i].payload_length);
        bytes.insert(bytes.end(), out[i].trailer.begin(), out[i].trailer.begin() + out[i].trailer_length);
        flight_.push_back({now + delay_, std::move(bytes)});
      }
    }
  }
}

void VirtualWire::run(Time now) {
  while (!flight_.empty() && flight_.front().at <= now) {
    const std::vector<std::uint8_t> bytes = std::move(flight_.front().bytes);
    flight_.pop_front();
    if (tap_) tap_(ByteSpan(bytes), now);
    const roce::ParsedFrame frame = roce::parse_frame(Segments(ByteSpan(bytes)));
    const std::uint32_t owner = demux_.find(frame);
    if (owner != engine::Demux::kNobody) endpoints_[owner]->receive(frame, now);
  }
  collect(now);
}

Time VirtualWire::next_event(Time now) const {
  Time next = flight_.empty() ? kNever : flight_.front().at;
  for (const engine::Endpoint* e : endpoints_) next = std::min(next, e->next_event(now));
  return next;
}

OwnTargetConfig virtual_addresses() {
  const BoardAddresses board;
  return {.identity = address(2, "10.0.0.2", 24),
          .v6_identity = address(3, "fd00::2", 64),
          .requesters = {board.first.ip, board.second.ip},
          .v6_requester = board.v6.ip};
}

VirtualTarget virtual_target(OwnTarget& target, const OwnTargetConfig& config) {
  VirtualTarget out{.endpoints = {&target.receiver()},
                    .answer = [&target](const TargetRequest& r) { return target.answer(r); },
                    .capabilities = target.capabilities(),
                    .device = target.device(),
                    .regions = target.regions(),
                    .v6_identity = config.v6_identity};
  if (engine::Receiver* const v6 = target.v6_receiver()) out.endpoints.push_back(v6);
  return out;
}

SuiteResult run_in_virtual_time(const Catalogue& catalogue, const SuiteConfig& config, VirtualTarget target,
                                const std::function<void(const CaseResult&)>& report) {
  const BoardAddresses board;
  Prober first(board.first), second(board.second), v6(board.v6);
  VirtualWire wire(kWireDelay, target.tap);
  for (engine::Endpoint* e : target.endpoints) wire.add(*e);
  for (Prober* p : {&first, &second, &v6}) wire.add(*p);
  CaseEnvironment environment;
  environment.target = target.capabilities;
  environment.path = path(board.first, target.endpoints.front()->identity());
  if (target.v6_identity) environment.v6_path = path(board.v6, *target.v6_identity);
  environment.second_ip = board.second.ip;
  environment.regions = target.regions;
  environment.longest_traffic = kLongestTraffic;
  first.resolve(environment.path.dest_ip);  // so that the target also learns the board's MAC address
  Time now = 0;
  Suite suite(catalogue, config, environment, target.device, now);
  if (report) suite.on_case(report);
  for (std::size_t idle = 0; !suite.done();) {
    wire.run(now);
    for (Prober* p : {&first, &second, &v6}) {
      for (const Answer& answer : p->take_answers()) suite.on_answer(answer, now);
    }
    Frames frames;
    suite.run(now, frames);
    for (auto& frame : frames) first.send(std::move(frame));
    bool asked = false;
    while (const auto request = suite.take_request()) {
      suite.on_reply(target.answer(*request), now);
      asked = true;
    }
    wire.run(now);
    if (asked || suite.done()) continue;
    const Time next = std::min(wire.next_event(now), suite.next_event());
    if (next == kNever) throw std::logic_error("the conformance run waits for nothing");
    idle = next <= now ? idle + 1 : 0;
    if (idle > 100'000) throw std::logic_error("the conformance run does not advance");
    now = std::max(now, next);
  }
  return suite.result();
}

}  // namespace softfeb::conformance
