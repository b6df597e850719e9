// SPDX-License-Identifier: BSD-3-Clause
#include "study/options.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::study;

TEST_CASE("Options about tasks require the folder of the study") {
  CHECK_THROWS_WITH(check({.task = "1/2"}, false), Catch::Contains("--task") && Catch::Contains("add --out"));
  CHECK_THROWS_WITH(check({.collect = true}, false),
                    Catch::Contains("--collect") && Catch::Contains("--out"));
  CHECK_THROWS_WITH(check({.on = "slurm"}, false), Catch::Contains("--on") && Catch::Contains("--out"));
  CHECK_THROWS_WITH(check({.existing = true}, false), Catch::Contains("--existing"));
  CHECK_NOTHROW(check({}, true));
  CHECK_NOTHROW(check({.out = "study"}, true));
}

TEST_CASE("A command does one thing with a study") {
  CHECK_THROWS_WITH(check({.out = "s", .task = "1/2", .collect = true}, false), Catch::Contains("--collect"));
  CHECK_THROWS_WITH(check({.out = "s", .task = "1/2", .on = "slurm"}, false), Catch::Contains("--task"));
  CHECK_THROWS_WITH(check({.out = "s", .collect = true, .on = "slurm"}, false), Catch::Contains("--collect"));
}

TEST_CASE("A task writes no result") {
  CHECK_THROWS_WITH(check({.out = "s", .task = "1/2"}, true), Catch::Contains("give them to --collect"));
  CHECK_NOTHROW(check({.out = "s", .collect = true}, true));
}

TEST_CASE("Options of engines require the engine") {
  CHECK(engine_of({}) == Engine::kHere);
  CHECK(engine_of({.on = "slurm"}) == Engine::kSlurm);
  CHECK(engine_of({.on = "parallel"}) == Engine::kParallel);
  CHECK_THROWS_WITH(check({.out = "s", .on = "condor"}, false), Catch::Contains("write slurm or parallel"));
  CHECK_THROWS_WITH(check({.out = "s", .hosts = "h1"}, false), Catch::Contains("add --on parallel"));
  CHECK_THROWS_WITH(check({.out = "s", .on = "slurm", .hosts = "h1"}, false), Catch::Contains("--nodelist"));
  CHECK_THROWS_WITH(check({.out = "s", .tasks = 4}, false), Catch::Contains("--tasks"));
  CHECK_THROWS_WITH(check({.out = "s", .engine_args = "-p x"}, false), Catch::Contains("--on-args"));
  CHECK_THROWS_WITH(check({.out = "s", .on = "slurm", .tasks = 0}, false), Catch::Contains("at least 1"));
  CHECK_THROWS_WITH(check({.threads = 0}, false), Catch::Contains("at least 1"));
  CHECK_NOTHROW(check({.out = "s", .on = "parallel", .hosts = "h1,h2", .tasks = 4}, true));
}
