// SPDX-License-Identifier: BSD-3-Clause
#include "config/congestion.hpp"
#include "config/error.hpp"
#include "config/web_config.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb::config;

TEST_CASE("addresses of the live page") {
  const auto parsed = [](const char* text) { return parse_web(text).value; };
  CHECK_FALSE(parsed("off")->on);
  REQUIRE(parsed("on"));
  CHECK(parsed("on")->on);
  CHECK_FALSE(parsed("on")->port);
  CHECK(parsed("8081")->port == 8081);
  CHECK(parsed("8081")->address == *IpAddress::parse("127.0.0.1"));
  CHECK(parsed("0.0.0.0:80")->address == *IpAddress::parse("0.0.0.0"));
  CHECK(parsed("10.0.0.1")->port == std::nullopt);
  CHECK(parsed("[::1]:0")->port == 0);
  CHECK(parsed("[::1]")->address == *IpAddress::parse("::1"));
  CHECK(parsed("::1")->address == *IpAddress::parse("::1"));
  for (const char* wrong : {"", "maybe", "65536", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "[::1",
                            "[::1]x", "[::1]:", "localhost:80", ":80x", "1.2.3"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_web(wrong).value);
  }
}

TEST_CASE("run.web is accepted in every kind of configuration") {
  const std::string text = "run: {web: 8081}\nnetwork: {}\n";
  CHECK(load_web_text(text, "f", {})->port == 8081);
  CHECK_FALSE(load_web_text(text, "f", {"run.web=off"})->on);
  CHECK_FALSE(load_web_text("run: {seed: 1}\n", "f", {}));
  CHECK(load_web_text("{}", "f", {"run.web=on"})->on);
  CHECK_THROWS_AS(load_web_text("run: {web: x}\n", "f", {}), ConfigError);
}

TEST_CASE("parameters change like `changes`") {
  CongestionConfig now;
  now.algorithm = CongestionConfig::Algorithm::kFirmware;
  now.firmware.parameters.rhai = 77;
  const CongestionConfig next = change_congestion(now, {{"rai", "8Mb/s"}, {"dcqcn_bypass", "true"}});
  CHECK(next.firmware.parameters.rai == 1'000'000);
  CHECK(next.firmware.parameters.dcqcn_bypass);
  CHECK(next.firmware.parameters.rhai == 77);
  const auto json = changeable(next);
  CHECK(json["rai"] == "8Mb/s");
  CHECK_FALSE(json.contains("bucket"));
  CHECK_FALSE(json.contains("line_rate"));
  for (const char* key : {"raj", "line_rate", "bucket", "scope", "algorithm"}) {
    CAPTURE(key);
    try {
      change_congestion(now, {{key, "1Gb/s"}});
      FAIL("taken");
    } catch (const ConfigError& e) {
      CHECK(e.problems().front().where.key == key);
    }
  }
  now.algorithm = CongestionConfig::Algorithm::kPaper;
  CHECK(change_congestion(now, {{"line_rate", "1Gb/s"}}).paper.parameters.line_rate == 125'000'000);
  CHECK(changeable(now).contains("line_rate"));
  CHECK(changeable(CongestionConfig{}).empty());
}
