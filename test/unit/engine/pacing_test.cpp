// SPDX-License-Identifier: BSD-3-Clause
// Tests the accuracy of pacing for whole boards in virtual time. All limits are properties of the schedule,
// and do not depend on the machine.
#include "base/rng.hpp"
#include "base/uint128.hpp"
#include "lone_board.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using test::Departure;
using test::LoneBoard;

namespace {

enum class Kind { kConstant, kFirmware, kPaper };

dcqcn::FirmwareSettings firmware(std::uint64_t rate) {
  dcqcn::FirmwareSettings p;
  p.build = {.line_rate = rate, .wrap32 = rate < (1ULL << 32)};
  return p;
}

/// Returns settings of the paper's DCQCN with an empty token bucket. Without initial credit, the bytes sent
/// follow the integral of the rate from the first packet on.
dcqcn::PaperSettings empty_paper(std::uint64_t rate) {
  dcqcn::PaperSettings p;
  p.parameters.line_rate = rate;
  p.bucket.start_full = false;
  p.bucket.first_frame_free = true;
  return p;
}

void set_rate(SendQpConfig& qp, Kind kind, std::uint64_t rate) {
  switch (kind) {
    case Kind::kConstant:
      qp.traffic.rate_kind = RateKind::kPayloadBytes;
      qp.traffic.rate = rate;
      break;
    case Kind::kFirmware:
      qp.congestion = firmware(rate);
      break;
    case Kind::kPaper:
      qp.congestion = empty_paper(rate);
      break;
  }
}

std::uint32_t units(Kind kind, const Departure& d) { return kind == Kind::kConstant ? d.payload : d.counted; }

double bytes_in(double rate, Time t) { return rate * to_seconds(t); }

/// Returns the actual refill of the token bucket in bytes per second. The firmware truncates the refill per
/// clock to Q16.16 bytes.
double refill(Kind kind, std::uint64_t rate) {
  if (kind != Kind::kFirmware) return static_cast<double>(rate);
  return static_cast<double>(static_cast<std::uint64_t>((Uint128{rate} * 1'801'440) >> 32)) / 65'536 *
         156'250'000;
}

/// The result of a measurement. `packets` is the largest |sent − rate·t| of any queue pair, just before or
/// after any packet, in units of a packet. `sum` is the number of bytes that all queue pairs have sent.
struct Deviation {
  double packets = 0;
  std::uint64_t sum = 0;
};

Deviation measure(Kind kind, std::uint64_t total, std::uint32_t qps, Time duration) {
  const std::uint64_t each = total / qps;
  const double rate = refill(kind, each);
  const std::uint32_t packet = kind == Kind::kConstant ? LoneBoard::kPayload : LoneBoard::kCounted;
  // Queue pairs start one after the other, so that their packets are spread over the interval.
  const auto phase = [&](std::uint32_t i) { return static_cast<Time>(packet * 1e12 * i / (rate * qps)); };
  LoneBoard v(qps, [&](SendQpConfig& qp, std::uint32_t i) {
    set_rate(qp, kind, each);
    qp.start_after = phase(i);
  });
  std::vector<std::uint64_t> sent(qps, 0);
  Deviation d;
  v.start();
  v.run_until(duration, [&](const Departure& p) {
    const double due = bytes_in(rate, p.at - phase(p.qp));
    const double before = static_cast<double>(sent[p.qp]) - due;
    sent[p.qp] += units(kind, p);
    const double after = static_cast<double>(sent[p.qp]) - due;
    d.packets = std::max({d.packets, std::abs(before) / packet, std::abs(after) / packet});
    d.sum += units(kind, p);
  });
  for (std::uint32_t i = 0; i < qps; ++i) {
    if (phase(i) > duration) continue;
    const double due = bytes_in(rate, duration - phase(i));
    d.packets = std::max(d.packets, std::abs(static_cast<double>(sent[i]) - due) / packet);
  }
  return d;
}

}  // namespace

TEST_CASE("at every rate and number of queue pairs, none is ever a packet off, nor is the sum", "[pacing]") {
  const Kind kind = GENERATE(Kind::kConstant, Kind::kFirmware, Kind::kPaper);
  const std::uint32_t qps = GENERATE(1U, 100U, 10'000U);
  const std::uint64_t mbps = GENERATE(100U, 1'000U, 5'000U, 10'000U, 25'000U, 40'000U, 100'000U);
  // Send 12,500 packets, so that the tolerance of 0.1 % below is 12 packets.
  const std::uint64_t total = mbps * 125'000;
  const auto duration = static_cast<Time>(12'500.0 * LoneBoard::kCounted / static_cast<double>(total) * 1e12);
  // The firmware's refill has steps of 2.4 kB/s; below the first step, no packet would ever leave.
  if (kind == Kind::kFirmware && refill(kind, total / qps) == 0) return;
  CAPTURE(static_cast<int>(kind), qps, mbps);
  const Deviation d = measure(kind, total, qps, duration);
  // The bucket is refilled once per clock of 6.4 ns, so it may lack one refill, which is at most 80 of the
  // 4124 bytes of a packet.
  const double grain =
      kind == Kind::kConstant ? 1e-9 : bytes_in(static_cast<double>(total / qps), 6'400) / 4124;
  CHECK(d.packets <= 1 + grain);
  const double expected = bytes_in(refill(kind, total / qps) * qps, duration);
  CHECK(static_cast<double>(d.sum) / expected == Approx(1).epsilon(0.001));
}

TEST_CASE("ten thousand queue pairs at 100 Gb/s together for a second", "[pacing][second]") {
  const Kind kind = GENERATE(Kind::kConstant, Kind::kFirmware);
  constexpr std::uint64_t kTotal = 12'500'000'000;
  constexpr std::uint32_t kQps = 10'000;
  CAPTURE(static_cast<int>(kind));
  const Deviation d = measure(kind, kTotal, kQps, kSecond);
  const double grain =
      kind == Kind::kConstant ? 1e-9 : bytes_in(static_cast<double>(kTotal / kQps), 6'400) / 4124;
  CHECK(d.packets <= 1 + grain);
  CHECK(static_cast<double>(d.sum) / (refill(kind, kTotal / kQps) * kQps) == Approx(1).epsilon(0.001));
}

namespace {

/// The integral of Rc over time. Rc comes from a separate reaction point, which is given the same packets and
/// CNPs as the board.
template <typename Reaction>
class Integral {
 public:
  explicit Integral(const Reaction& reaction) : reaction_(reaction) {}

  double until(Time t) {
    const dcqcn::Edge end = dcqcn::edge_until(t);
    while (from_ < end) {
      const auto rate = static_cast<double>(reaction_.rc());
      reaction_.advance_to_rate_change(end);
      const dcqcn::Edge to = std::min(end, std::max(from_, reaction_.now()));
      bytes_ += rate * static_cast<double>(to - from_) * 6.4e-9;
      from_ = to;
    }
    return bytes_;
  }
  Reaction& reaction() { return reaction_; }

 private:
  Reaction reaction_;
  dcqcn::Edge from_ = 0;
  double bytes_ = 0;
};

void tell_cnp(dcqcn::ReactionPoint& r, Time now) { r.cnp(dcqcn::edge_from(now)); }
void tell_cnp(dcqcn::PaperReactionPoint& r, Time now) { r.cnp(now); }
void tell_sent(dcqcn::ReactionPoint&, std::uint32_t, Time) {}
void tell_sent(dcqcn::PaperReactionPoint& r, std::uint32_t bytes, Time now) { r.sent(bytes, now); }

/// Runs a board with random CNPs. Returns the smallest and the largest difference sent − ∫Rc dt of any QP at
/// any packet, in bytes.
template <typename Reaction>
std::pair<double, double> follow(Kind kind, std::uint64_t rate, std::uint32_t qps, const Reaction& reaction,
                                 std::uint64_t seed) {
  LoneBoard v(qps, [&](SendQpConfig& qp, std::uint32_t) { set_rate(qp, kind, rate); });
  std::vector<Integral<Reaction>> model(qps, Integral<Reaction>(reaction));
  std::vector<double> sent(qps, 0);
  std::pair<double, double> range{0, 0};
  Rng rng(seed);
  const auto left = [&](const Departure& p) {
    const double due = model[p.qp].until(p.at);
    range.first = std::min(range.first, sent[p.qp] - due);
    sent[p.qp] += p.counted;
    range.second = std::max(range.second, sent[p.qp] - due);
    tell_sent(model[p.qp].reaction(), p.counted, p.at);
  };
  v.start();
  // CNPs arrive on clock edges, because the model below has no clock. In the paper's DCQCN, a cut takes
  // effect immediately, but the bucket uses the new rate only from the next clock on.
  for (Time at = 0; at < 20 * kMillisecond; at += rng.below(30'000) * kFirmwareClock) {
    v.run_until(at, left);
    const auto i = static_cast<std::uint32_t>(rng.below(qps));
    model[i].until(at);
    tell_cnp(model[i].reaction(), at);
    v.cnp(i);
  }
  return range;
}

}  // namespace

TEST_CASE("bytes sent follow the integral of Rc for any CNPs", "[pacing]") {
  const std::uint64_t seed = GENERATE(range(1U, 6U));
  CAPTURE(seed);
  // The model must use the parameters of the board, because the limits below depend on them. For example,
  // Rmin is 10 MB/s in the firmware.
  const auto f = firmware(1'250'000'000);
  const auto p = empty_paper(1'250'000'000);
  const std::uint32_t packet = LoneBoard::kCounted;
  // A new Rc takes effect three clocks later in the firmware, and one clock later in the paper's bucket. At
  // 1.25 GB/s, 24 bytes are sent in three clocks, and 8 bytes in one. A packet also waits for the next clock,
  // which adds 8 bytes.
  const auto [low_f, high_f] =
      follow(Kind::kFirmware, 1'250'000'000, 7, dcqcn::ReactionPoint(f.parameters, f.build), seed);
  CHECK(low_f >= -double{packet});
  CHECK(high_f <= packet + 32.0);
  const auto [low_p, high_p] =
      follow(Kind::kPaper, 1'250'000'000, 7, dcqcn::PaperReactionPoint(p.parameters), seed);
  CHECK(low_p >= -double{packet});
  CHECK(high_p <= packet + 16.0);
}

TEST_CASE("a CNP moves a departure that is already scheduled", "[pacing]") {
  std::vector<Time> at;
  LoneBoard v(1, [](SendQpConfig& qp, std::uint32_t) { set_rate(qp, Kind::kPaper, 125'000'000); });
  const auto left = [&at](const Departure& p) { at.push_back(p.at); };
  v.start();
  v.run_until(50 * kMicrosecond, left);
  REQUIRE(at.size() == 2);
  const Time was = v.board().next_event(v.now());
  CHECK(was <= at[1] + 33 * kMicrosecond);
  v.cnp(0);
  const Time is = v.board().next_event(v.now());
  CHECK(is > was);
  v.run_until(200 * kMicrosecond, left);
  // At 125 MB/s, credit for a packet of 4124 bytes accumulates in 33 µs. The CNP halves the rate, because
  // alpha is 1 at the first CNP. After the CNP, the remaining credit takes twice as long to accumulate.
  REQUIRE(at.size() >= 3);
  const Time interval = 32'992 * kNanosecond;
  const Time earned = 50 * kMicrosecond - at[1];
  const Time expected = 50 * kMicrosecond + 2 * (interval - earned);
  CHECK(at[2] >= expected - 20 * kNanosecond);
  CHECK(at[2] <= expected + 20 * kNanosecond);
}

TEST_CASE("retransmissions use the bucket, too", "[pacing]") {
  // The RC queue pair gets no responses. All packets after the first window are therefore retransmissions
  // after timeouts.
  const std::uint64_t rate = 12'500'000;
  LoneBoard v(1, [&](SendQpConfig& qp, std::uint32_t) {
    set_rate(qp, Kind::kPaper, rate);
    qp.requester.transport = roce::Transport::kRc;
    qp.requester.timeout = 1;  // 8.2 µs; a packet takes 330 µs
    qp.requester.retry_count = 7;
  });
  std::vector<Departure> log;
  v.start();
  v.run_until(100 * kMillisecond, [&log](const Departure& p) { log.push_back(p); });
  const auto& counters = v.board().qp(0).requester().counters();
  REQUIRE(counters.packets == log.size());
  REQUIRE(counters.retransmitted_packets > log.size() / 2);
  REQUIRE(log.size() > 250);
  for (std::size_t k = 1; k < log.size(); ++k) {
    CHECK(log[k].at >= Time{k} * LoneBoard::kCounted * kSecond / rate);
  }
}

TEST_CASE("queue pairs that share a rate share it evenly", "[pacing]") {
  const std::uint32_t qps = GENERATE(2U, 5U, 100U);
  const Kind kind = GENERATE(Kind::kFirmware, Kind::kPaper);
  const std::uint64_t rate = 1'250'000'000;
  CAPTURE(qps, static_cast<int>(kind));
  LoneBoard v(qps, [&](SendQpConfig& qp, std::uint32_t) {
    set_rate(qp, kind, rate);
    qp.congestion_group = 0;
  });
  std::vector<std::uint64_t> packets(qps, 0);
  double sum = 0;
  const auto left = [&](const Departure& p) {
    sum += p.counted;
    ++packets[p.qp];
    CHECK(sum - bytes_in(static_cast<double>(rate), p.at) <= LoneBoard::kCounted + 8);
  };
  v.start();
  v.run_until(5 * kMillisecond, left);
  CHECK(sum == Approx(bytes_in(static_cast<double>(rate), 5 * kMillisecond)).epsilon(0.001));
  const auto [least, most] = std::minmax_element(packets.begin(), packets.end());
  CHECK(*most - *least <= 1);
  // A CNP for one queue pair slows all of them.
  v.cnp(qps - 1);
  const double before = sum;
  v.run_until(5 * kMillisecond + 50 * kMicrosecond, [&](const Departure& p) { sum += p.counted; });
  CHECK(sum - before <= bytes_in(0.55 * static_cast<double>(rate), 50 * kMicrosecond) + LoneBoard::kCounted);
}

TEST_CASE("a queue pair that is alone in its group sends like one without a group", "[pacing]") {
  const Kind kind = GENERATE(Kind::kFirmware, Kind::kPaper);
  CAPTURE(static_cast<int>(kind));
  const auto departures = [kind](bool group) {
    LoneBoard v(3, [kind, group](SendQpConfig& qp, std::uint32_t i) {
      set_rate(qp, kind, 400'000'000);
      if (group) qp.congestion_group = i;
    });
    std::vector<std::pair<std::uint32_t, Time>> log;
    v.start();
    for (Time end = kMillisecond; end <= 5 * kMillisecond; end += kMillisecond) {
      v.run_until(end, [&log](const Departure& p) { log.emplace_back(p.qp, p.at); });
      v.cnp(1);
    }
    return log;
  };
  const auto alone = departures(true);
  CHECK(alone.size() > 300);
  CHECK(alone == departures(false));
}

TEST_CASE("a shared rate leaves each queue pair its own rate", "[pacing]") {
  // Ten queue pairs request 10, 20, … 100 MB/s of a shared 1.25 GB/s. Each gets the requested rate.
  LoneBoard v(10, [](SendQpConfig& qp, std::uint32_t i) {
    set_rate(qp, Kind::kPaper, 1'250'000'000);
    set_rate(qp, Kind::kConstant, (i + 1) * 10'000'000);
    qp.congestion_group = 3;
  });
  std::vector<double> sent(10, 0);
  v.start();
  v.run_until(100 * kMillisecond, [&sent](const Departure& p) { sent[p.qp] += p.payload; });
  for (std::uint32_t i = 0; i < 10; ++i) {
    CAPTURE(i);
    CHECK(std::abs(sent[i] - bytes_in((i + 1) * 1e7, 100 * kMillisecond)) <= LoneBoard::kPayload);
  }
}

TEST_CASE("two groups of queue pairs have two rates", "[pacing]") {
  LoneBoard v(9, [](SendQpConfig& qp, std::uint32_t i) {
    set_rate(qp, Kind::kPaper, i % 3 == 0 ? 300'000'000 : 600'000'000);
    qp.congestion_group = i % 3 == 0 ? 7 : 1;
  });
  std::vector<double> sent(9, 0);
  v.start();
  v.run_until(50 * kMillisecond, [&sent](const Departure& p) { sent[p.qp] += p.counted; });
  for (std::uint32_t i = 0; i < 9; ++i) {
    CAPTURE(i);
    CHECK(std::abs(sent[i] - bytes_in(1e8, 50 * kMillisecond)) <= 2 * LoneBoard::kCounted);
  }
}

TEST_CASE("beamlets leave at their phase and whole periods after it, to the picosecond", "[pacing]") {
  constexpr std::uint32_t kQps = 20;
  constexpr Time kPeriod = 20'971'520 * kNanosecond;  // 4096 samples at 195,312.5/s
  constexpr Time kEnd = 100 * kPeriod;
  const auto phase = [](std::uint32_t i) { return kPeriod * i / kQps + i; };
  LoneBoard v(kQps, [&](SendQpConfig& qp, std::uint32_t i) {
    qp.traffic.rate_kind = RateKind::kPeriod;
    qp.traffic.period = kPeriod;
    qp.start_after = phase(i);
  });
  std::vector<std::uint64_t> sent(kQps, 0);
  v.start();
  v.run_until(kEnd - 1, [&](const Departure& p) { REQUIRE(p.at == phase(p.qp) + sent[p.qp]++ * kPeriod); });
  CHECK(sent == std::vector<std::uint64_t>(kQps, 100));
}
