// SPDX-License-Identifier: BSD-3-Clause
// Tests checks, result document and tables with a small lab in virtual time, including failures.
#include "config/load.hpp"
#include "experiment/phases.hpp"
#include "experiment/virtual_driver.hpp"
#include "lab/checks.hpp"
#include "report/lab_result.hpp"
#include "report/recorder.hpp"
#include "report/result.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

constexpr const char* kTwoBoards = R"(
lab:
  title: Two into one
  bottleneck: tor.daq
  checks: {retransmitted: 0, dropped: 0}
run: {duration: 1ms}
workers: {count: 1}
network:
  worker: 0
  switches: [{name: tor, buffer: 4MiB}]
  links:
    - {ends: [feb, tor], rate: 10Gb/s, delay: 500ns}
    - {ends: [tor, daq], rate: 25Gb/s, delay: 500ns}
boards:
  - name: feb
    count: 2
    worker: 0
    ip: 10.0.0.1/24
    qps:
      - {to: daq, pmtu: 4096, traffic: {message_size: 64KiB, rate: 2Gb/s}}
receivers:
  - {name: daq, worker: 0, ip: 10.0.0.101/24, memory: 1MiB}
)";

/// The outcome of a finished run. Tests may modify it.
struct Finished {
  Finished() : Finished(kTwoBoards) {}
  explicit Finished(const std::string& text) : config(config::load_lab_text(text, "two.yaml")) {}

  config::LabConfig config;
  experiment::VirtualDriver driver{config};
  report::Recorder recorder{config.run, &config, driver.plans().all(), std::nullopt};
  stats::Outcome outcome =
      experiment::run_phases(config.run, driver, recorder.observers(), [](const std::string&) {});

  lab::Judgement judge() { return lab::judge(config.run, driver.plans(), outcome, driver.endpoints(), {}); }
  nlohmann::ordered_json document() {
    return report::make_result(config.run, nullptr, driver.plans(), outcome, driver.endpoints(), {}, judge());
  }
  std::string table() {
    return report::result_table(config.run, driver.plans(), outcome, driver.endpoints(), judge());
  }
};

const lab::Check& check_named(const lab::Judgement& judgement, const std::string& name) {
  const auto it = std::find_if(judgement.checks.begin(), judgement.checks.end(),
                               [&](const lab::Check& c) { return c.name == name; });
  REQUIRE(it != judgement.checks.end());
  return *it;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a good run meets every check", "[experiment][checks]") {
  Finished run;
  const lab::Judgement judgement = run.judge();
  CHECK(judgement.held());
  CHECK(judgement.messages.empty());
  for (const char* name : {"messages_completed", "completions_in_order", "neighbours_resolved",
                           "payload_bytes_right", "messages_arrived", "messages_once"}) {
    CAPTURE(name);
    CHECK(check_named(judgement, name).held);
  }
}

TEST_CASE("a session is judged by the report of its receiver, which may be anything",
          "[experiment][checks]") {
  Finished run;
  std::vector<endpoints::Targets::Session> sessions(1);
  sessions[0].url = "sink://daq";
  const auto judged = [&](const char* report) {
    sessions[0].report = nlohmann::json::parse(report);
    return lab::judge(run.config.run, run.driver.plans(), run.outcome, run.driver.endpoints(), sessions);
  };
  const auto held = [&](const char* report) {
    return check_named(judged(report), "receiver sink://daq").held;
  };
  CHECK(held(R"({"held": true})"));
  CHECK(held("{}"));  // a report without `held`, as from perftest, is not a failure
  for (const char* report :
       {R"({"held": false})", R"({"held": "true"})", R"({"held": null})", "[true]", "null"}) {
    INFO(report);
    CHECK_FALSE(held(report));
  }
  const auto messages =
      judged(R"({"held": false, "problems": ["3 % of the events are not complete", 7]})").messages;
  CHECK(messages ==
        std::vector<std::string>{"sink://daq: 3 % of the events are not complete", "sink://daq: 7"});
  CHECK(judged(R"({"held": false, "problems": {"a": "b"}})").messages.size() == 1);
}

TEST_CASE("an incomplete message fails its check, and names board, QP and cause", "[experiment][checks]") {
  Finished run;
  engine::SendQpSnapshot& qp = run.outcome.final[1].send_qps[0];
  --qp.requester.messages_completed;
  qp.failure = roce::WcStatus::kTimeoutsExceeded;
  const lab::Judgement judgement = run.judge();
  CHECK_FALSE(judgement.held());
  CHECK(check_named(judgement, "messages_completed").value == 1);
  REQUIRE(judgement.messages.size() == 1);
  CHECK(contains(judgement.messages[0], run.config.run.boards[1].endpoint.name));
  CHECK(contains(judgement.messages[0], "10.0.0.101"));
  CHECK(contains(run.table(), "A CHECK FAILED"));
}

TEST_CASE("an unresolved neighbour is reported with its address", "[experiment][checks]") {
  Finished run;
  run.outcome.final[0].send_qps[0].resolved = false;
  const lab::Judgement judgement = run.judge();
  CHECK(check_named(judgement, "neighbours_resolved").value == 1);
  CHECK(std::any_of(judgement.messages.begin(), judgement.messages.end(),
                    [](const std::string& m) { return contains(m, "ARP") && contains(m, "10.0.0.101"); }));
}

TEST_CASE("a run that ends in its warm-up says so", "[experiment][checks]") {
  Finished run;
  run.outcome.ended_in_warmup = true;
  REQUIRE(run.judge().messages.size() == 1);
  CHECK(contains(run.judge().messages[0], "warm-up"));
}

TEST_CASE("the result document has every board, receiver and check", "[experiment][result]") {
  Finished run;
  const nlohmann::ordered_json j = run.document();
  CHECK(j["verdict"] == "held");
  CHECK(j["duration_s"] == 0.001);
  REQUIRE(j["boards"].size() == 2);
  REQUIRE(j["boards"][0]["qps"].size() == 1);
  CHECK(j["boards"][0]["goodput_gbps"].get<double>() == Approx(2).epsilon(0.1));
  REQUIRE(j["receivers"].size() == 1);
  CHECK(j["receivers"][0]["bytes_wrong"] == 0);
  CHECK(j["receivers"][0]["messages"] == j["boards"][0]["qps"][0]["messages_completed"].get<int>() +
                                             j["boards"][1]["qps"][0]["messages_completed"].get<int>());
  CHECK(j["checks"].size() == run.judge().checks.size());
  CHECK(j["workers"].empty());
  CHECK_FALSE(j.contains("clock"));
}

TEST_CASE("the result names the algorithm of congestion control and its quantities", "[experiment][result]") {
  const auto board_with = [](const std::string& algorithm) {
    std::string text = kTwoBoards;
    text.insert(text.find("    qps:"), "    congestion: " + algorithm + "\n");
    return Finished(text).document()["boards"][0];
  };
  for (const std::string algorithm : {"off", "firmware", "timely", "swift"}) {
    CAPTURE(algorithm);
    const nlohmann::ordered_json board = board_with(algorithm);
    const nlohmann::ordered_json& qp = board["qps"][0];
    CHECK(board["congestion"]["algorithm"] == algorithm);
    CHECK(qp["congestion"]["algorithm"] == algorithm);
    CHECK(qp["alpha"].is_number() == (algorithm == "firmware"));
    CHECK(qp["rc_gbps"].is_number());
    for (const auto& [name, has] :
         {std::pair{"rtt_us", algorithm == "timely" || algorithm == "swift"},
          std::pair{"window_bytes", algorithm == "swift"}, std::pair{"target_delay_us", algorithm == "swift"},
          std::pair{"utilization", false}}) {
      CAPTURE(name);
      CHECK(qp["congestion"].contains(name) == has);
      CHECK(board["congestion"].contains(name) == has);
      if (has) CHECK(board["congestion"][name]["mean"] == qp["congestion"][name]);
    }
  }
}

TEST_CASE("a lab adds switches, figures and its verdict to the result", "[experiment][result]") {
  Finished run;
  lab::RunStats stats = experiment::lab_stats(run.config, run.driver, run.outcome, run.recorder.metrics());
  for (const lab::Balance& b : stats.balances) {
    CAPTURE(b.name);
    CHECK(b.holds());
  }
  CHECK(stats.virtual_time);
  const report::LabRun judged = report::judge_lab(run.config, std::move(stats));
  CHECK(judged.verdict == lab::Verdict::kHeld);
  nlohmann::ordered_json j = run.document();
  report::add_lab(j, run.config, *run.outcome.network, run.judge(), judged, nullptr);
  REQUIRE(j["switches"].size() == 1);
  CHECK(j["switches"][0]["ports"].size() == 3);
  CHECK(j["lab"]["bottleneck"] == "tor.daq");
  CHECK(j["lab"]["time"] == "virtual");
  CHECK(j["verdict"] == "held");
  CHECK(contains(report::lab_table(run.config, nullptr, &judged), "Two into one"));
}

TEST_CASE("tables list queue pairs, receivers and the sum", "[experiment][result]") {
  Finished run;
  const std::string table = run.table();
  CHECK(contains(table, run.config.run.boards[0].endpoint.name));
  CHECK(contains(table, run.config.run.boards[1].endpoint.name));
  CHECK(contains(table, "daq"));
  CHECK(contains(table, "All checks held."));
  run.outcome.final[0].send_qps[0].on_bus = true;
  CHECK(contains(run.table(), "by bus"));
}
