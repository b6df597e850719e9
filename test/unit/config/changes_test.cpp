// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"
#include "documents.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Returns kBase with firmware DCQCN, three QPs, and `changes` at its end. The first change is on line 34.
std::string with_changes(const std::string& changes, const std::string& dcqcn = "firmware") {
  std::string text =
      replaced(kBase, "    ip: 10.0.0.1/24\n", "    ip: 10.0.0.1/24\n    dcqcn: " + dcqcn + "\n");
  text = replaced(text, "      - to: daq\n", "      - to: daq\n        count: 3\n");
  return text + "# 31\n# 32\nchanges:\n" + changes;
}

void check_problem(const std::string& changes, int line, const std::string& key, const std::string& message,
                   const std::string& fix, const std::string& dcqcn = "firmware") {
  INFO(changes);
  const auto found = problems(with_changes(changes, dcqcn));
  REQUIRE(found.size() == 1);
  INFO(to_string(found[0]));
  CHECK(found[0].where.line == line);
  CHECK(found[0].where.key == key);
  CHECK(found[0].message.find(message) != std::string::npos);
  CHECK(found[0].fix.find(fix) != std::string::npos);
}

}  // namespace

TEST_CASE("a change has a time, a board and parameters") {
  const RunConfig c =
      load(with_changes("  - {at: 2s, board: feb0, dcqcn: {algorithm: firmware, rai: 96Mb/s}}\n"));
  REQUIRE(c.changes.size() == 1);
  CHECK(c.changes[0].at == 2 * kSecond);
  CHECK(c.changes[0].board == 0);
  CHECK_FALSE(c.changes[0].qp);
  REQUIRE(c.changes[0].parts.size() == 1);
  CHECK(c.changes[0].parts[0].first == 0);
  CHECK(c.changes[0].parts[0].count == 3);
  CHECK(c.changes[0].parts[0].congestion.firmware.parameters.rai == 12'000'000);
}

TEST_CASE("changes are cumulative in the order of their times") {
  const RunConfig c = load(
      with_changes("  - {at: 3s, board: feb0, qps: all, dcqcn: {algorithm: firmware, dec_gain: 3}}\n"
                   "  - {at: 1s, board: feb0, qps: 1, dcqcn: {algorithm: firmware, dcqcn_bypass: true}}\n",
                   "{algorithm: firmware, alpha_g: 1000, line_rate: 5Gb/s}"));
  REQUIRE(c.changes.size() == 2);  // the order is that of the file, not that of the times
  const ChangeConfig& later = c.changes[0];
  const ChangeConfig& first = c.changes[1];
  REQUIRE(first.parts.size() == 1);
  CHECK(first.parts[0].first == 1);
  CHECK(first.parts[0].count == 1);
  CHECK(first.parts[0].congestion.firmware.parameters.dcqcn_bypass);
  CHECK(first.parts[0].congestion.firmware.parameters.alpha_g == 1000);
  REQUIRE(later.parts.size() == 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(later.parts[i].first == i);
    CHECK(later.parts[i].count == 1);
    CHECK(later.parts[i].congestion.firmware.parameters.dec_gain == 3);
    CHECK(later.parts[i].congestion.firmware.parameters.alpha_g == 1000);
    CHECK(later.parts[i].congestion.firmware.parameters.dcqcn_bypass == (i == 1));
  }
}

TEST_CASE("the name of a replicated board selects all replicas") {
  const std::string text = with_changes(
      "  - {at: 1s, board: feb0, dcqcn: {algorithm: firmware, dec_gain: 2}}\n"
      "  - {at: 2s, board: feb0-1, dcqcn: {algorithm: firmware, dec_gain: 3}}\n");
  const RunConfig c = load(replaced(text, "  - name: feb0\n", "  - name: feb0\n    count: 2\n"),
                           {"receivers.daq.count=8", "receivers.daq.ip=10.0.0.100/24"});
  REQUIRE(c.changes.size() == 3);
  CHECK(c.changes[0].board == 0);
  CHECK(c.changes[1].board == 1);
  CHECK(c.changes[2].board == 1);
}

TEST_CASE("resolved changes read back the same") {
  const RunConfig c = load(with_changes(
      "  - {at: 1s, board: feb0, qps: 2, dcqcn: {algorithm: firmware, rate_dec_interval: 4us}}\n"));
  const RunConfig again = load(to_yaml(c));
  CHECK(to_yaml(again) == to_yaml(c));
  REQUIRE(again.changes.size() == 1);
  CHECK(again.changes[0].qp == 2U);
  CHECK(again.changes[0].parts[0].congestion.firmware.parameters.rate_dec_interval == 625);
}

TEST_CASE("invalid changes are refused") {
  check_problem("  - {at: 2s, board: feb1, dcqcn: {algorithm: firmware}}\n", 34, "changes.0.board",
                "no board \"feb1\"", "did you mean `feb0`");
  check_problem("  - {at: 10s, board: feb0, dcqcn: {algorithm: firmware}}\n", 34, "changes.0.at",
                "the run has ended", "before `run.duration`");
  check_problem("  - {at: 2s, board: feb0, qps: 3, dcqcn: {algorithm: firmware}}\n", 34, "changes.0.qps",
                "has no QP 3", "it has 3");
  check_problem("  - {at: 2s, board: feb0, qps: some, dcqcn: {algorithm: firmware}}\n", 34, "changes.0.qps",
                "is not a QP", "write all");
  check_problem("  - {at: 2s, board: feb0, dcqcn: {algorithm: paper, gd: 10}}\n", 34,
                "changes.0.dcqcn.algorithm", "has the algorithm firmware", "write that algorithm");
  check_problem("  - {at: 2s, board: feb0, dcqcn: {algorithm: firmware}}\n", 34, "changes.0.dcqcn.algorithm",
                "has no congestion control", "select QPs", "off");
  check_problem("  - {at: 2s, board: feb0, dcqcn: {algorithm: off}}\n", 34, "changes.0.dcqcn.algorithm",
                "cannot be switched off", "dcqcn_bypass");
  check_problem("  - {at: 2s, board: feb0, dcqcn: {algorithm: firmware, line_rate: 5Gb/s}}\n", 34,
                "changes.0.dcqcn.line_rate", "`line_rate` cannot change", "`dcqcn` of the board");
  check_problem("  - {at: 2s, board: feb0, dcqcn: {algorithm: firmware, rai: 40Gb/s}}\n", 34,
                "changes.0.dcqcn.rai", "exceeds the register's range", "34Gb/s");
  check_problem("  - {at: 2s, board: feb0, dcqcn: {algorithm: firmware, rpg_gd: 5}}\n", 34,
                "changes.0.dcqcn.rpg_gd", "unknown key", "");
  check_problem("  - {at: 2s, board: feb0, qps: 1, dcqcn: {algorithm: firmware}}\n", 34, "changes.0.qps",
                "shares its rate", "qps: all", "{algorithm: firmware, scope: board}");
  check_problem("  - {at: 2s, board: feb0}\n", 34, "changes.0", "`dcqcn` is missing", "add");
  check_problem("  - {at: soon, board: feb0, dcqcn: {algorithm: firmware}}\n", 34, "changes.0.at", "", "");
}

TEST_CASE("interval and limit of the time series, limit of the result") {
  CHECK(load(kBase).run.series_interval == 100 * kMillisecond);
  CHECK(load(kBase).run.series_qps == 64);
  CHECK(load(kBase, {"run.series_interval=10us", "run.series_qps=0"}).run.series_interval ==
        10 * kMicrosecond);
  CHECK_FALSE(load(kBase).run.result_qps);
  CHECK_FALSE(load(kBase, {"run.result_qps=all"}).run.result_qps);
  CHECK(load(kBase, {"run.result_qps=0"}).run.result_qps == 0U);
  const auto few = problems(kBase, {"run.result_qps=few"});
  REQUIRE(few.size() == 1);
  CHECK(few[0].fix == "write all, or a number up to 1000000");
  const auto found = problems(kBase, {"run.series_interval=9us"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].where.key == "run.series_interval");
  CHECK(found[0].fix == "write at least 10us");
}
