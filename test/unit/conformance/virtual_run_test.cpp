// SPDX-License-Identifier: BSD-3-Clause
// Tests runs in virtual time: they send the same bytes for the same seed, and survive malicious answers.
#include "conformance/virtual_run.hpp"

#include "answer_frames.hpp"
#include "base/rng.hpp"
#include "model_target.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

using Bytes = std::vector<std::uint8_t>;

const Catalogue& whole_catalogue() {
  static const Catalogue kCatalogue;
  return kCatalogue;
}

const roce::MacAddress kBoardMac = {2, 0, 0, 0, 0, 1};

engine::Identity identity(std::uint8_t last, const char* ip) {
  return {.mac = {2, 0, 0, 0, 0, last}, .ip = *roce::IpAddress::parse(ip), .prefix_length = 24};
}

SuiteConfig config_of(const std::vector<std::string>& cases, std::uint64_t seed = 1) {
  SuiteConfig out;
  out.cases = select(whole_catalogue(), {.cases = cases});
  out.seed = seed;
  return out;
}

/// Returns all frames that are on the wire in a run with this seed, with their times.
std::vector<std::pair<Time, Bytes>> recorded(std::uint64_t seed) {
  std::vector<std::pair<Time, Bytes>> out;
  const OwnTargetConfig addresses = virtual_addresses();
  OwnTarget own(addresses);
  VirtualTarget target = virtual_target(own, addresses);
  target.tap = [&](ByteSpan frame, Time now) { out.emplace_back(now, Bytes(frame.begin(), frame.end())); };
  run_in_virtual_time(whole_catalogue(), config_of({"BAS", "PSN", "HDR", "OTH", "CRC"}, seed), target);
  return out;
}

/// Returns the frames that an attacker sends after the board has sent a packet whose BTH is `sent`. `latest`
/// is the board's QPN in the latest answer.
using Attack = std::function<std::vector<Bytes>(const roce::Bth& sent, roce::Qpn latest)>;

/// Runs cases with the model as the target, while a second host attacks the board.
SuiteResult attacked(const std::vector<std::string>& cases, const Attack& attack) {
  test::ModelTarget model;
  VirtualTarget target = model.virtual_target();
  Prober attacker(identity(9, "10.0.0.9"));
  target.endpoints.push_back(&attacker);
  roce::Qpn latest = 0;
  target.tap = [&, tap = target.tap](ByteSpan bytes, Time now) {
    tap(bytes, now);
    const roce::ParsedFrame frame = roce::parse_frame(Segments(bytes));
    const auto answer = read_answer(Segments(bytes), frame, now);
    if (frame.kind != roce::FrameKind::kUdp || !answer) return;
    if (frame.dest_mac == kBoardMac) {
      latest = answer->dest_qp;
    } else if (frame.source_mac == kBoardMac) {
      for (Bytes& one : attack(answer->bth, latest)) attacker.send(std::move(one));
    }
  };
  return run_in_virtual_time(whole_catalogue(), config_of(cases), target);
}

/// Returns the path from the address `source` to the board.
roce::Path to_board(const char* source) {
  roce::Path path = test::answer_path();
  path.source_ip = *roce::IpAddress::parse(source);
  path.dest_mac = kBoardMac;
  return path;
}

}  // namespace

TEST_CASE("the same seed gives the same bytes at the same times", "[virtual]") {
  const auto first = recorded(7);
  CHECK(first.size() > 1000);
  CHECK((first == recorded(7)));
  CHECK((first != recorded(8)));
}

TEST_CASE("packets of other hosts and for other queue pairs are never judged", "[virtual]") {
  const SuiteResult result = attacked({"BAS", "PSN"}, [&](const roce::Bth& sent, roce::Qpn latest) {
    const roce::Aeth nak{.syndrome = 0x62};
    return std::vector<Bytes>{test::ack_frame(nak, sent.psn, latest, to_board("10.0.0.9")),
                              test::ack_frame(nak, sent.psn, latest + 1, to_board("10.0.0.9")),
                              test::ack_frame(nak, sent.psn, 0x90'0000, to_board("10.0.0.2"))};
  });
  CHECK_FALSE(result.no_baseline);
  CHECK_FALSE(result.dead);
  std::uint64_t foreign = 0;
  for (const CaseResult& r : result.cases) {
    INFO(r.of->id << ": " << r.reason);
    CHECK((r.verdict == Verdict::kPass || r.verdict == Verdict::kNotApplicable));
    foreign += r.foreign;
  }
  CHECK(foreign > 100);
}

TEST_CASE("random answers neither crash nor hang a run", "[virtual]") {
  // Groups are run one at a time, because a baseline between groups would not pass.
  for (const char* const group : {"PSN", "LEN", "IMM", "CNP", "OTH", "NET", "MEM"}) {
    Rng rng(static_cast<std::uint64_t>(group[0]) << 8 | static_cast<std::uint64_t>(group[1]));
    std::uint64_t sent_packets = 0;
    const Attack attack = [&](const roce::Bth& sent, roce::Qpn latest) {
      std::vector<Bytes> out;
      // Do not attack at first, so that the baseline passes.
      if (++sent_packets < 75 || rng.below(4) != 0) return out;
      // The attacker sends two frames: a random response from the target's address, with a valid iCRC, and
      // a frame of random bytes for the board's MAC address.
      Bytes transport(12 + rng.below(40));
      for (auto& byte : transport) byte = static_cast<std::uint8_t>(rng.next());
      constexpr std::uint8_t kOpcodes[] = {0x11, 0x0d, 0x0e, 0x0f, 0x10, 0x12, 0x81};
      if (rng.below(4) != 0) transport[0] = kOpcodes[rng.below(std::size(kOpcodes))];
      store_be24(&transport[5], latest + static_cast<roce::Qpn>(rng.below(2)));
      if (rng.below(2) != 0) store_be24(&transport[9], sent.psn);
      out.push_back(test::answer_frame(transport, to_board("10.0.0.2")));
      Bytes noise(14 + rng.below(100));
      for (auto& byte : noise) byte = static_cast<std::uint8_t>(rng.next());
      std::copy(kBoardMac.begin(), kBoardMac.end(), noise.begin());
      out.push_back(noise);
      return out;
    };
    const SuiteResult result = attacked({group}, attack);
    INFO(group);
    CHECK(result.cases.size() > 5);
    const Totals totals = totals_of(result);
    CHECK_FALSE(result.no_baseline);
    CHECK(totals.not_run == 0);
    CHECK(totals.fail != 0);  // some answers reached the queue pair of a case
    for (const CaseResult& r : result.cases) CHECK(r.trace.size() <= kMostTraced);
  }
}

TEST_CASE("a wire delivers frames in order after its delay", "[wire]") {
  Prober a(identity(1, "10.0.0.1")), b(identity(2, "10.0.0.2"));
  std::vector<Time> seen;
  VirtualWire wire(5 * kMicrosecond, [&](ByteSpan, Time now) { seen.push_back(now); });
  wire.add(a);
  wire.add(b);
  CHECK(wire.next_event(0) == kNever);
  const Bytes first = test::ack_frame({}, 1, 0x11, to_board("10.0.0.2"));
  const Bytes second = test::ack_frame({}, 2, 0x11, to_board("10.0.0.2"));
  b.send(first);
  b.send(second);
  CHECK(wire.next_event(0) == 0);
  wire.run(0);
  CHECK(wire.next_event(0) == 5 * kMicrosecond);
  wire.run(5 * kMicrosecond - 1);
  CHECK(a.take_answers().empty());
  wire.run(5 * kMicrosecond);
  const auto answers = a.take_answers();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].psn == 1);
  CHECK(answers[0].at == 5 * kMicrosecond);
  CHECK(answers[0].frame == first);
  CHECK(answers[1].frame == second);
  CHECK(seen == std::vector<Time>(2, 5 * kMicrosecond));
  CHECK(b.take_answers().empty());
  CHECK(wire.next_event(kSecond) == kNever);
}

TEST_CASE("the tap receives frames that no endpoint takes", "[wire]") {
  Prober a(identity(1, "10.0.0.1"));
  std::size_t seen = 0;
  VirtualWire wire(0, [&](ByteSpan, Time) { ++seen; });
  wire.add(a);
  a.send({});
  a.send(Bytes(3, 1));
  a.send(Bytes(9000, 2));
  wire.run(0);
  wire.run(0);
  CHECK(seen == 3);
}
