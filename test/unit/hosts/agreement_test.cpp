// SPDX-License-Identifier: BSD-3-Clause
#include "hosts/agreement.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::hosts;

TEST_CASE("processes agree once all have told a value") {
  Agreement a(3);
  CHECK(a.note(0, Told::kFinished, 1));
  CHECK(a.note(2, Told::kFinished, 2));
  CHECK_FALSE(a.all(Told::kFinished, 1));
  CHECK(a.note(1, Told::kFinished, 1));
  CHECK(a.all(Told::kFinished, 1));
  CHECK_FALSE(a.all(Told::kFinished, 2));
  CHECK_FALSE(a.all(Told::kReady, 1));
}

TEST_CASE("a value only grows") {
  Agreement a(2);
  CHECK(a.note(1, Told::kStops, 2));
  CHECK_FALSE(a.note(1, Told::kStops, 2));
  CHECK_FALSE(a.note(1, Told::kStops, 1));
  CHECK(a.of(1, Told::kStops) == 2);
  CHECK(a.most(Told::kStops) == 2);
  CHECK(a.most(Told::kStart) == 0);
}
