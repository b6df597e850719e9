// SPDX-License-Identifier: BSD-3-Clause
#include "config/units.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;

namespace {

struct Good {
  const char* text;
  std::uint64_t value;
};

}  // namespace

TEST_CASE("times are whole picoseconds") {
  const Good rows[] = {{"0", 0},
                       {"1ps", 1},
                       {"4ns", 4'000},
                       {"6.4ns", 6'400},
                       {"55us", 55'000'000},
                       {"55 us", 55'000'000},
                       {"55µs", 55'000'000},
                       {"1.5ms", 1'500'000'000},
                       {"10s", 10'000'000'000'000},
                       {"2min", 120 * kSecond},
                       {"1h", 3600 * kSecond},
                       {"0.1s", 100'000'000'000},
                       {"18446744.073709551s", 18'446'744'073'709'551'000U},
                       {"4.0960us", 4'096'000}};
  for (const Good& row : rows) {
    INFO(row.text);
    CHECK(parse_time(row.text).value == row.value);
  }
  for (const char* text : {"", "10", "s", "-1s", "+1s", "1e3s", "1.s", ".5s", "1..5s", "1.5ps", "10S",
                           "10 sec", "1s ", "0x10s", "99999999999999999999s", "18446745s", "1,5s", "10s5"}) {
    INFO(text);
    const auto parsed = parse_time(text);
    CHECK_FALSE(parsed.value);
    CHECK_FALSE(parsed.message.empty());
    CHECK_FALSE(parsed.fix.empty());
  }
  CHECK(parse_time("10").fix.find("10ms") != std::string::npos);
}

TEST_CASE("sizes are whole bytes") {
  const Good rows[] = {{"0", 0},          {"1500B", 1500},           {"64KiB", 65'536},
                       {"1MiB", 1 << 20}, {"1GB", 1'000'000'000},    {"1kB", 1'000},
                       {"0.5KiB", 512},   {"1.5GiB", 1'610'612'736}, {"2TiB", std::uint64_t{2} << 40}};
  for (const Good& row : rows) {
    INFO(row.text);
    CHECK(parse_size(row.text).value == row.value);
  }
  for (const char* text : {"64", "64K", "64kib", "0.3B", "1.0001KiB", "18446744073709551615B", "KiB"}) {
    INFO(text);
    CHECK_FALSE(parse_size(text).value);
  }
}

TEST_CASE("rates name their layer and are exact") {
  using U = Rate::Unit;
  const struct {
    const char* text;
    Rate rate;
  } rows[] = {{"max", {U::kUnlimited, 0}},
              {"10Gb/s", {U::kPayloadBytes, 1'250'000'000}},
              {"400Mb/s", {U::kPayloadBytes, 50'000'000}},
              {"1.25GB/s", {U::kPayloadBytes, 1'250'000'000}},
              {"8b/s", {U::kPayloadBytes, 1}},
              {"1MiB/s", {U::kPayloadBytes, 1 << 20}},
              {"0.3Gb/s", {U::kPayloadBytes, 37'500'000}},
              {"300kpps", {U::kPackets, 300'000}},
              {"1Mpps", {U::kPackets, 1'000'000}},
              {"0.299Mpps", {U::kPackets, 299'000}},
              {"1000msg/s", {U::kMessages, 1'000}}};
  for (const auto& row : rows) {
    INFO(row.text);
    CHECK(parse_rate(row.text).value == row.rate);
  }
  for (const char* text : {"10", "0Gb/s", "10Gbps", "1b/s", "0.5pps", "fast", "10G", "-1Gb/s"}) {
    INFO(text);
    CHECK_FALSE(parse_rate(text).value);
  }
  CHECK(parse_rate("10").message == "\"10\" has no unit");
  CHECK(parse_rate("10").fix.find("write 10Gb/s") == 0);
  CHECK(parse_bandwidth("10Gb/s").value == 1'250'000'000U);
  CHECK_FALSE(parse_bandwidth("10kpps").value);
  CHECK_FALSE(parse_bandwidth("0Gb/s").value);
}

TEST_CASE("probabilities are whole billionths") {
  const struct {
    const char* text;
    std::uint32_t billionths;
  } rows[] = {{"0", 0},
              {"1%", 10'000'000},
              {"0.01", 10'000'000},
              {"100%", 1'000'000'000},
              {"1.0", 1'000'000'000},
              {"0.0000001%", 1},
              {"33.3%", 333'000'000}};
  for (const auto& row : rows) {
    INFO(row.text);
    const auto parsed = parse_probability(row.text);
    REQUIRE(parsed.value);
    CHECK(parsed.value->billionths == row.billionths);
    CHECK(parse_probability(format_probability(*parsed.value)).value == parsed.value);
  }
  for (const char* text : {"1", "101%", "1.1", "-1%", "0.0000000001", "5 percent", ""}) {
    INFO(text);
    CHECK_FALSE(parse_probability(text).value);
  }
  CHECK(Probability{Probability::kOne}.parts() == std::uint64_t{1} << 32);
  CHECK(Probability{}.parts() == 0);
}

TEST_CASE("wall clocks have a zone") {
  CHECK(parse_wall_clock("1970-01-01T00:00:00Z").value == 0);
  CHECK(parse_wall_clock("2026-01-01T00:00:00Z").value == 1'767'225'600'000'000'000);
  CHECK(parse_wall_clock("2026-01-01T02:00:00+02:00").value == 1'767'225'600'000'000'000);
  CHECK(parse_wall_clock("2025-12-31 18:30:00-05:30").value == 1'767'225'600'000'000'000);
  CHECK(parse_wall_clock("2026-01-01T00:00:00.25Z").value == 1'767'225'600'250'000'000);
  CHECK(parse_wall_clock("2028-02-29T00:00:00Z").value);
  for (const char* text :
       {"2026-01-01T00:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01", "tomorrow", "",
        "2026-01-01T24:00:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567891Z",
        "2026-01-01T00:00:00+99:00", "-026-01-01T00:00:00Z"}) {
    INFO(text);
    CHECK_FALSE(parse_wall_clock(text).value);
  }
  CHECK(parse_wall_clock(format_wall_clock(1'767'225'600'123'456'789)).value == 1'767'225'600'123'456'789);
}

TEST_CASE("integers and booleans") {
  CHECK(parse_integer("0x10", 0, 100).value == 16U);
  CHECK(parse_integer("18446744073709551615", 0, UINT64_MAX).value == UINT64_MAX);
  for (const char* text : {"", "0x", "-1", "1.0", "1 ", "18446744073709551616", "101", "ten", "0x1g"}) {
    INFO(text);
    CHECK_FALSE(parse_integer(text, 0, 100).value);
  }
  CHECK(parse_bool("on").value == true);
  CHECK(parse_bool("no").value == false);
  CHECK_FALSE(parse_bool("maybe").value);
}

TEST_CASE("formatted values read back") {
  for (const std::uint64_t n : {0ULL, 1ULL, 999ULL, 1'000ULL, 6'400ULL, 65'536ULL, 1'500'000'000ULL,
                                10'000'000'000'000ULL, 18'446'744'073'709'551'614ULL}) {
    CHECK(parse_time(format_time(n)).value == n);
    CHECK(parse_size(format_size(n)).value == n);
    if (n == 0) continue;
    CHECK(parse_bandwidth(format_bandwidth(n)).value == n);
    for (const Rate::Unit unit : {Rate::Unit::kPayloadBytes, Rate::Unit::kPackets, Rate::Unit::kMessages}) {
      CHECK(parse_rate(format_rate({unit, n})).value == Rate{unit, n});
    }
  }
  CHECK(format_time(55 * kMicrosecond) == "55us");
  CHECK(format_size(65'536) == "64KiB");
  CHECK(format_bandwidth(1'250'000'000) == "10Gb/s");
}
