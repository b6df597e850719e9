// SPDX-License-Identifier: BSD-3-Clause
#include "switch_sample.hpp"

#include <cmath>

namespace softfeb::test {

namespace {

using report::SwitchRun;
using switchtest::Curve;
using switchtest::Expectation;
using switchtest::Figure;
using switchtest::Method;
using switchtest::Status;
using switchtest::TestReport;

const std::vector<std::uint32_t> kSizes{78, 130, 258, 514, 1026, 1282, 1518, 2126, 4174};

Figure exact(const std::string& name, double value, const std::string& unit,
             const std::map<std::string, std::string>& labels = {}) {
  return {
      .name = name, .labels = labels, .value = value, .low = value, .high = value, .unit = unit, .trials = 5};
}

Figure between(const std::string& name, double value, double low, double high, const std::string& unit,
               Method method = Method::kFit) {
  return {
      .name = name, .value = value, .low = low, .high = high, .unit = unit, .method = method, .trials = 200};
}

TestReport preflight() {
  TestReport t{.name = "preflight", .title = "which pause frames the switch obeys and sends"};
  t.figures.push_back({.name = "obeys_pauses", .method = Method::kOrder, .text = "PFC"});
  t.figures.push_back({.name = "sends_pauses", .method = Method::kOrder, .text = "PFC"});
  t.figures.push_back(exact("own_delay_ns", 0, "ns"));
  return t;
}

TestReport throughput() {
  TestReport t{.name = "throughput", .title = "the largest load without loss", .took = 12 * kSecond};
  for (const char* direction : {"one", "both"})
    for (const std::uint32_t size : kSizes) {
      const std::map<std::string, std::string> labels{{"size", std::to_string(size)},
                                                      {"direction", direction}};
      const bool small = size == 78;
      Figure load = exact("load", small ? 0.912 : 1, "", labels);
      if (small) load.high = 0.913;
      load.method = Method::kSearch;
      t.figures.push_back(load);
      t.figures.push_back(exact("pps", std::floor(1.25e9 / (size + 20)), "1/s", labels));
    }
  t.trials.push_back({.at = kSecond,
                      .kinds = {{.sent = 1000, .arrived = 998, .reordered = 1, .ecn = {0, 0, 990, 8}}},
                      .pauses = 3});
  t.trials.push_back({.at = 2 * kSecond, .void_reason = "a worker was not run for 1 ms"});
  return t;
}

TestReport latency() {
  TestReport t{.name = "latency", .title = "delay and jitter", .took = 31 * kSecond};
  for (const std::uint32_t size : kSizes)
    for (const int load : {10, 50, 90, 100})
      for (const char* name :
           {"min_ns", "mean_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns", "ipdv_ns"}) {
        const double base = 1000 + 1.6 * size + 30.0 * load;
        Figure f = between(name, base, base - 2.5, base + 3.25, "ns", Method::kMean);
        f.labels = {{"size", std::to_string(size)}, {"load", std::to_string(load)}};
        t.figures.push_back(f);
      }
  for (const int load : {10, 50, 90, 100})
    for (const char* quantile : {"min", "p50", "p99", "max"}) {
      Curve c{.name = "latency",
              .label = std::string(quantile) + " at " + std::to_string(load) + " % load",
              .x_name = "frame size",
              .x_unit = "B",
              .y_name = "delay",
              .y_unit = "ns",
              .points = {}};
      const double factor = quantile[0] == 'm' && quantile[1] == 'i' ? 1 : quantile[1] == '5' ? 1.1 : 1.4;
      for (const std::uint32_t size : kSizes) {
        const double y = factor * (1000 + 1.6 * size + 30.0 * load);
        c.points.push_back({double(size), y, y - 90, y + 130});
      }
      t.curves.push_back(std::move(c));
    }
  return t;
}

TestReport buffer() {
  TestReport t{.name = "buffer", .title = "memory that queues may take"};
  t.figures.push_back(exact("queue_frames", 251, "frames", {{"queue", "1"}, {"size", "4174"}}));
  t.figures.push_back({.name = "queue_bytes",
                       .labels = {{"queue", "1"}},
                       .value = 1'048'572,
                       .low = 1'048'572,
                       .high = 1'049'594,
                       .unit = "B",
                       .trials = 5});
  t.figures.push_back(
      {.name = "alpha", .status = Status::kUnresolvable, .reason = "the port limit hides it"});
  t.figures.push_back({.name = "pool_bytes",
                       .value = 1'042'500,
                       .low = 1'042'500,
                       .unit = "B",
                       .status = Status::kBounded,
                       .reason = "more memory may be behind the port limit"});
  t.figures.push_back({.name = "sharing", .method = Method::kOrder, .text = "port limit"});
  Curve held{.name = "memory",
             .label = "1026 bytes",
             .x_name = "queue",
             .x_unit = "",
             .y_name = "memory",
             .y_unit = "B",
             .points = {}};
  Curve fit = held;
  fit.label = "1026 bytes, fit";
  for (int k = 0; k < 5; ++k) {
    const double y = 1'048'572.0 / (1 << k);
    held.points.push_back({k + 1.0, y, y, y + 1026});
    fit.points.push_back({.x = k + 1.0, .y = y + 300});
  }
  t.curves = {held, fit};
  return t;
}

TestReport ecn() {
  TestReport t{.name = "ecn", .title = "the marking curve", .took = 2 * kSecond};
  t.figures = {between("kmin_bytes", 102'412.7, 101'220.4, 103'601.2, "B"),
               between("kmax_bytes", 409'588, 408'120, 411'002, "B"),
               between("pmax", 0.0998, 0.0981, 0.1015, ""),
               {.name = "where", .method = Method::kOrder, .text = "enqueue"}};
  Curve share{.name = "marking",
              .label = "1026 bytes",
              .x_name = "queue depth",
              .x_unit = "B",
              .y_name = "share of marked frames",
              .y_unit = "",
              .points = {}};
  Curve fit = share;
  fit.label = "fit";
  for (int k = 0; k < 60; ++k) {
    const double x = k * 10'260, p = x < 102'400 ? 0 : x > 409'600 ? 1 : 0.1 * (x - 102'400) / 307'200;
    const double y = std::clamp(p + 0.004 * std::sin(k * 7), 0.0, 1.0);
    share.points.push_back({x, y, std::max(0.0, y - 0.012), std::min(1.0, y + 0.012)});
    fit.points.push_back({.x = x, .y = p});
  }
  t.curves = {share, fit};
  return t;
}

TestReport dscp() {
  TestReport t{.name = "dscp", .title = "which DSCPs share a queue"};
  for (int queue = 0; queue < 8; ++queue)
    t.figures.push_back({.name = "dscps",
                         .labels = {{"queue", std::to_string(8 * queue)}},
                         .method = Method::kOrder,
                         .text = std::to_string(8 * queue) + "-" + std::to_string(8 * queue + 7)});
  for (int code = 0; code < 64; ++code)
    t.figures.push_back(exact("map", code / 8 * 8, "", {{"dscp", std::to_string(code)}}));
  return t;
}

TestReport xoff() {
  TestReport t{.name = "xoff", .title = "pause thresholds"};
  t.figures = {between("xoff_bytes", 260'625, 258'541, 262'710, "B", Method::kCount),
               between("xon_bytes", 198'077, 195'990, 200'159, "B", Method::kCount)};
  return t;
}

TestReport storm() {
  return {
      .name = "storm",
      .title = "the PFC watchdog",
      .status = Status::kInconclusive,
      .reason = "too many trials were void; the last one because a worker was not run for 1 ms",
      .figures = {{.name = "detect_ms", .status = Status::kAbsent, .reason = "no frame was lost in 2 s"}}};
}

TestReport victim() {
  return {.name = "victim",
          .title = "head-of-line blocking",
          .status = Status::kUnresolvable,
          .reason = "the test needs 4 ports, and the rig has 3"};
}

Expectation expect(const std::string& test, const std::string& figure, const std::string& text, int line) {
  return {.test = test, .figure = figure, .text = text, .place = "expect.yaml:" + std::to_string(line)};
}

std::vector<Expectation> expectations() {
  std::vector<Expectation> out{expect("xoff", "xoff_bytes", "{value: 256KiB, within: 5%}", 1),
                               expect("ecn", "kmin_bytes", "{max: 101KiB}", 2),
                               expect("throughput", "load", "{min: 99.9%}", 3),
                               expect("buffer", "alpha", "{min: 1}", 4),
                               expect("buffer", "pool_bytes", "{max: 2MiB}", 5),
                               expect("buffer", "cells", "{min: 1}", 6),
                               expect("ecn", "where", "enqueue", 7)};
  out[0].min = 249'037;
  out[0].max = 275'251;
  out[1].max = 103'424;
  out[2].min = 0.999;
  out[3].min = 1;
  out[4].max = 2'097'152;
  out[5].min = 1;
  out[6].word = "enqueue";
  return out;
}

void judge_all(SwitchRun& run) { run.verdicts = switchtest::judge(run.report.tests, run.expectations); }

}  // namespace

SwitchRun sample_switch_run() {
  SwitchRun run;
  run.report.ports = {{.name = "p0", .rate = 1'250'000'000},
                      {.name = "p1", .rate = 1'250'000'000},
                      {.name = "p2", .rate = 3'125'000'000}};
  run.report.settings.roles = {.a = 0, .d = 2, .c = 1};
  run.report.settings.seed = 42;
  run.report.tests = {preflight(), dscp(), throughput(), latency(), buffer(),
                      ecn(),       xoff(), victim(),     storm()};
  run.report.findings.obeyed = run.report.findings.sends = roce::PauseMode::kPfc;
  run.report.findings.headroom = switchtest::Findings::Headroom{29'190, 26, false};
  run.report.findings.queue_bytes = 1'048'572;
  run.report.findings.marking = {.kmin = 102'412.7, .kmax = 409'588, .pmax = 0.0998};
  run.report.findings.pausing = {.xoff = 260'625, .xon = 198'077};
  run.expectations = expectations();
  run.config = {{"switch_test", {{"rig", "virtual"}, {"map", {{"A", "p0"}, {"D", "p2"}}}}}};
  run.device = "ACME 100";
  run.software = "4.2.1";
  run.date = "2026-11-26";
  run.exit_status = kCheckFailed;
  judge_all(run);
  return run;
}

SwitchRun hostile_switch_run() {
  SwitchRun run = sample_switch_run();
  run.device = run.software = run.date = kHostile;
  run.config["name"] = kHostile;
  for (switchtest::RigPort& p : run.report.ports) p.name = kHostile;
  for (Expectation& e : run.expectations) e.text = e.place = kHostile;
  for (TestReport& t : run.report.tests) {
    t.title = kHostile;
    if (!t.reason.empty()) t.reason = kHostile;
    for (Figure& f : t.figures) {
      if (!f.reason.empty()) f.reason = kHostile;
      if (!f.text.empty()) f.text = kHostile;
      if (!f.labels.empty()) f.labels["port"] = kHostile;
    }
    for (Curve& c : t.curves) c.label = c.x_name = c.y_name = c.x_unit = c.y_unit = kHostile;
  }
  judge_all(run);
  for (switchtest::Verdict& v : run.verdicts) v.reason = kHostile;
  return run;
}

SwitchRun large_switch_run() {
  SwitchRun run = sample_switch_run();
  run.expectations.clear();
  run.verdicts.clear();
  run.exit_status = kDone;
  for (const char* name : {"burst", "cells", "codepoints", "headroom", "obedience", "scheduler", "incast",
                           "fairness", "ecmp", "mtu", "order", "dcqcn", "soak"}) {
    TestReport t{.name = name, .title = "a test with many figures"};
    for (const char* figure : {"first_bytes", "second_bytes", "a_long_name_of_a_figure", "ratio"})
      for (int k = 0; k < 12; ++k) {
        Figure f = between(figure, 1000.5 + k, 1000.25, 1020.75, "B");
        f.labels = {{"queue", std::to_string(k)}, {"scope", k % 2 == 0 ? "port" : "queue"}};
        t.figures.push_back(f);
      }
    t.figures.push_back({.name = "hidden",
                         .status = Status::kUnresolvable,
                         .reason = "what this figure describes cannot be seen from outside the switch"});
    run.report.tests.push_back(std::move(t));
  }
  return run;
}

}  // namespace softfeb::test
