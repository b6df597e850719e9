// SPDX-License-Identifier: BSD-3-Clause
#include "qp_state.hpp"

#include "refusal.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::sink;

using Steps = std::vector<QpState>;

TEST_CASE("a queue pair moves forward by way of the states between", "[conformance]") {
  CHECK(steps_to(QpState::kReset, QpState::kInit) == Steps{QpState::kInit});
  CHECK(steps_to(QpState::kReset, QpState::kRts) == Steps{QpState::kInit, QpState::kRtr, QpState::kRts});
  CHECK(steps_to(QpState::kInit, QpState::kRts) == Steps{QpState::kRtr, QpState::kRts});
  CHECK(steps_to(QpState::kRtr, QpState::kRts) == Steps{QpState::kRts});
}

TEST_CASE("a queue pair stays in its state", "[conformance]") {
  for (const QpState state : {QpState::kInit, QpState::kRtr, QpState::kRts, QpState::kErr})
    CHECK(steps_to(state, state).empty());
}

TEST_CASE("a queue pair moves to ERR from any known state", "[conformance]") {
  for (const QpState state : {QpState::kReset, QpState::kInit, QpState::kRtr, QpState::kRts})
    CHECK(steps_to(state, QpState::kErr) == Steps{QpState::kErr});
  CHECK_THROWS_AS(steps_to(QpState::kUnknown, QpState::kErr), Refusal);
}

TEST_CASE("a queue pair does not move back", "[conformance]") {
  CHECK_THROWS_WITH(steps_to(QpState::kRts, QpState::kRtr), Catch::Contains("from RTS to RTR; fix: close"));
  CHECK_THROWS_AS(steps_to(QpState::kRtr, QpState::kInit), Refusal);
  CHECK_THROWS_AS(steps_to(QpState::kErr, QpState::kRts), Refusal);
  CHECK_THROWS_AS(steps_to(QpState::kErr, QpState::kInit), Refusal);
  CHECK_THROWS_AS(steps_to(QpState::kUnknown, QpState::kRts), Refusal);
}

TEST_CASE("states have names", "[conformance]") {
  CHECK(parse_qp_state("init") == QpState::kInit);
  CHECK(parse_qp_state("rtr") == QpState::kRtr);
  CHECK(parse_qp_state("rts") == QpState::kRts);
  CHECK(parse_qp_state("err") == QpState::kErr);
  CHECK_THROWS_AS(parse_qp_state("reset"), Refusal);
  CHECK(name_of(QpState::kReset) == std::string("RESET"));
  CHECK(name_of(QpState::kRts) == std::string("RTS"));
  CHECK(name_of(QpState::kUnknown) == std::string("unknown"));
}
