// SPDX-License-Identifier: BSD-3-Clause
#include "stats/goodput.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::stats;

namespace {

/// Returns the snapshot of a QP that has sent `bytes` at 8 Gb/s, beginning at `from`.
engine::SendQpSnapshot sent(Time from, std::uint64_t bytes) {
  engine::SendQpSnapshot qp;
  qp.counters.first_sent = from;
  qp.counters.last_completed = from + bytes * kNanosecond;
  qp.completed_payload_bytes = qp.requester.payload_bytes = bytes;
  return qp;
}

Outcome one_board(std::vector<engine::SendQpSnapshot> qps) {
  Outcome o;
  o.final.resize(1);
  o.final[0].send_qps = std::move(qps);
  return o;
}

config::RunConfig boards(std::size_t n) {
  config::RunConfig config;
  config.boards.resize(n);
  return config;
}

}  // namespace

TEST_CASE("queue pairs that send one after the other do not exceed the rate of the wire") {
  std::vector<engine::SendQpSnapshot> qps;
  for (std::uint64_t i = 0; i < 10; ++i) qps.push_back(sent(i * kMicrosecond, 1000));
  const Outcome o = one_board(std::move(qps));
  for (std::size_t i = 0; i < 10; ++i) CHECK(*rates_of(0, i, o).goodput_gbps == Approx(8));
  CHECK(*total_goodput_gbps(boards(1), o) == Approx(8));
}

TEST_CASE("the total covers the time from the first to the last") {
  const Outcome o = one_board({sent(0, 1000), sent(3 * kMicrosecond, 1000), {}});
  CHECK(*total_goodput_gbps(boards(1), o) == Approx(4));
}

TEST_CASE("nothing sent is no goodput, and an unknown term makes the total unknown") {
  CHECK(*total_goodput_gbps(boards(1), one_board({{}})) == 0);
  engine::SendQpSnapshot uc = sent(0, 1000);
  uc.uc = true;  // with UC, the goodput is unknown, because the receiver does not report it
  CHECK_FALSE(total_goodput_gbps(boards(1), one_board({sent(0, 1000), uc})));
}

TEST_CASE("beamlets offer a message per period") {
  config::QpConfig qp;
  qp.traffic.message_size = 16'384;
  qp.traffic.rate = config::Rate::every(20'971'520 * kNanosecond);
  CHECK(*offered_gbps(qp) == Approx(6.25e-3).epsilon(1e-12));
}

TEST_CASE("rates that a remote receiver reports are added") {
  engine::SendQpSnapshot uc = sent(0, 1000);
  uc.uc = true;
  Outcome o = one_board({sent(0, 1000), uc, uc});
  o.reported[{0, 1}] = {2.0, 0.5};
  o.reported[{0, 2}] = {2.0, 0.25};
  CHECK(*total_goodput_gbps(boards(1), o) == Approx(8.75));
}

TEST_CASE("what was under way at the end of the warm-up does not count") {
  // Since the end of the warm-up, 3000 bytes have completed, but 1000 of them had been sent before.
  Outcome o = one_board({sent(0, 4000)});
  o.baseline.resize(1);
  o.baseline[0].taken_at = 2 * kMicrosecond;
  o.baseline[0].send_qps = {sent(0, 1000)};
  o.baseline[0].send_qps[0].requester.payload_bytes = 2000;
  const QpRates rates = rates_of(0, 0, o);
  CHECK(*rates.payload_bytes == 2000);
  CHECK(rates.seconds == Approx(2e-6));
  CHECK(*rates.goodput_gbps == Approx(8));
}
