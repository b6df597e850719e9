// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "config/load.hpp"

using namespace softfeb;
using namespace softfeb::config;

TEST_CASE("conf/board.yaml loads and reads back as itself") {
  const RunConfig config = load_run(SOFTFEB_CONF_DIR "/board.yaml");
  REQUIRE(config.boards.size() == 1);
  REQUIRE(config.boards[0].qps.size() == 1);
  CHECK(config.boards[0].qps[0].traffic.rate == Rate{Rate::Unit::kPayloadBytes, 250'000'000});
  CHECK(config.run.duration == 10 * kSecond);
  CHECK(to_json(load_run_text(to_yaml(config), "again")) == to_json(config));
}
