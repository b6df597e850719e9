// SPDX-License-Identifier: BSD-3-Clause
#include "stats/control_state.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::stats;

namespace {

engine::SendQpSnapshot qp_with(const congestion::CongestionState& state) {
  engine::SendQpSnapshot qp;
  qp.congestion = state;
  return qp;
}

}  // namespace

TEST_CASE("a control has the quantities of its algorithm", "[stats]") {
  const ControlState dcqcn =
      control_of(qp_with({.rate = 100, .target_rate = 200, .alpha = 256, .alpha_one = 1024}));
  CHECK(dcqcn.controls == 1);
  CHECK(dcqcn.rc == 100);
  CHECK(dcqcn.rt == 200);
  CHECK(dcqcn.alpha.mean() == 0.25);
  for (const ControlMean& m : {dcqcn.rtt, dcqcn.target_delay, dcqcn.window, dcqcn.utilization, dcqcn.granted})
    CHECK_FALSE(m.mean());

  const ControlState other = control_of(qp_with({.rate = 100,
                                                 .target_rate = 100,
                                                 .window = 5000.5,
                                                 .rtt = 20 * kMicrosecond,
                                                 .target_delay = 30 * kMicrosecond,
                                                 .utilization = 0.75,
                                                 .granted = 12}));
  CHECK_FALSE(other.alpha.mean());
  CHECK(other.window.mean() == 5000.5);
  CHECK(*other.rtt.mean() == Approx(20e-6));
  CHECK(*other.target_delay.mean() == Approx(30e-6));
  CHECK(other.utilization.mean() == 0.75);
  CHECK(other.granted.mean() == 12.0);
}

TEST_CASE("means are over the controls that have the quantity", "[stats]") {
  ControlState sum = control_of(qp_with({.rate = 100, .alpha = 512, .alpha_one = 1024}));
  sum += control_of(qp_with({.rate = 200, .window = 1000.0, .rtt = 10 * kMicrosecond}));
  sum += control_of(qp_with({.rate = 400, .window = 3000.0}));
  CHECK(sum.controls == 3);
  CHECK(sum.rc == 700);
  CHECK(sum.alpha.mean() == 0.5);
  CHECK(sum.window.mean() == 2000.0);
  CHECK(sum.rtt.controls == 1);
  CHECK(*sum.rtt.mean() == Approx(10e-6));
}

TEST_CASE("a QP that does not exist or has no congestion control has no state", "[stats]") {
  engine::SendQpSnapshot qp = qp_with({.rate = 100, .window = 1000.0});
  qp.exists = false;
  CHECK(control_of(qp).controls == 0);
  CHECK_FALSE(control_of(qp).window.mean());
  CHECK(control_of(engine::SendQpSnapshot{}).controls == 0);
}
