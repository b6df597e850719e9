// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/phases.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::experiment;

namespace {

/// A driver that records calls of its functions, and whose boards finish at a given time.
class ScriptedDriver final : public Driver {
 public:
  explicit ScriptedDriver(const config::RunConfig& config) : payloads_(config), plans_(config) {}

  Time finished_at = kNever;
  Time stops_at = kNever;  ///< time of the first signal to stop; kNever: no signal
  bool drains = true;      ///< whether stop_traffic() makes the boards finish
  std::vector<std::string> calls;

  const endpoints::Plans& plans() const override { return plans_; }
  const endpoints::Payloads& payloads() const override { return payloads_; }
  endpoints::Endpoints& endpoints() override { return endpoints_; }
  std::vector<stats::Observer*> open(const Say&) override { return {}; }
  Time now() const override { return now_; }
  Time begin(stats::Observers& observers) override {
    calls.push_back("begin");
    observers.begin();
    return now_ = kSecond;
  }
  Passed pass(Time end, Until until, int stop_requests) override {
    const Time finish = until == Until::kFinished ? finished_at : kNever;
    now_ = std::max(now_, std::min({end, finish, requests(kNever) > stop_requests ? stops_at : kNever}));
    if (requests(now_) > stop_requests) return Passed::kStopped;
    return until == Until::kFinished && finished() ? Passed::kFinished : Passed::kTime;
  }
  int stop_requests() const override { return requests(now_); }
  bool finished() const override { return now_ >= finished_at; }
  std::vector<engine::EndpointSnapshot> endpoint_counters() override {
    calls.push_back("baseline");
    return std::vector<engine::EndpointSnapshot>(1);
  }
  Counters counters() override {
    calls.push_back("final");
    return {};
  }
  std::vector<std::uint8_t> changes_made() const override { return {1}; }
  void stop_traffic() override {
    calls.push_back("stop");
    if (drains) finished_at = std::min(finished_at, now_);
  }
  void flush() override { calls.push_back("flush"); }
  void settle() override { calls.push_back("settle"); }
  void close(stats::Outcome&) override { calls.push_back("close"); }
  bool virtual_time() const override { return false; }
  lab::Edge network_edge(const stats::Outcome&) const override { return {}; }

 private:
  int requests(Time at) const { return at >= stops_at ? 1 : 0; }

  endpoints::Payloads payloads_;
  endpoints::Plans plans_;
  endpoints::Endpoints endpoints_;
  Time now_ = 0;
};

struct PhasesRun {
  config::RunConfig config;
  std::vector<std::string> notes;

  stats::Outcome operator()(ScriptedDriver& driver) {
    return run_phases(config, driver, {}, [this](const std::string& text) { notes.push_back(text); });
  }
};

/// Returns a configuration with a queue pair. Without queue pairs, run_phases() does not end the run when all
/// boards have finished.
config::RunConfig with_traffic() {
  config::RunConfig config;
  config.boards.emplace_back().qps.emplace_back().count = 0;
  return config;
}

using Calls = std::vector<std::string>;

}  // namespace

TEST_CASE("a run starts, warms up, measures, drains and settles", "[experiment]") {
  PhasesRun run{with_traffic(), {}};
  run.config.run.warmup = kSecond;
  run.config.run.duration = 5 * kSecond;
  ScriptedDriver driver(run.config);
  const stats::Outcome o = run(driver);
  CHECK(driver.calls == Calls{"begin", "baseline", "stop", "settle", "final", "close"});
  CHECK(o.started == kSecond);
  CHECK(o.stopped == 6 * kSecond);
  CHECK(o.baseline.size() == 1);
  CHECK_FALSE(o.interrupted);
  CHECK_FALSE(o.flushed);
  CHECK(run.notes.empty());
  CHECK(o.changes_made == std::vector<std::uint8_t>{1});
}

TEST_CASE("a run ends when its boards are finished", "[experiment]") {
  PhasesRun run{with_traffic(), {}};
  ScriptedDriver driver(run.config);
  driver.finished_at = 3 * kSecond;
  const stats::Outcome o = run(driver);
  CHECK(o.stopped == 3 * kSecond);
  CHECK_FALSE(o.interrupted);
}

TEST_CASE("a run that ends in its warm-up has no baseline", "[experiment]") {
  PhasesRun run{with_traffic(), {}};
  run.config.run.warmup = 10 * kSecond;
  ScriptedDriver driver(run.config);
  driver.finished_at = 3 * kSecond;
  const stats::Outcome o = run(driver);
  CHECK(o.ended_in_warmup);
  CHECK(o.baseline.empty());
  CHECK(driver.calls == Calls{"begin", "stop", "settle", "final", "close"});
}

TEST_CASE("boards without queue pairs keep answering until the duration is over", "[experiment]") {
  PhasesRun run;
  run.config.run.duration = 2 * kSecond;
  ScriptedDriver driver(run.config);
  driver.finished_at = 0;
  CHECK(run(driver).stopped == 3 * kSecond);
}

TEST_CASE("requests that outlast the drain timeout are flushed", "[experiment]") {
  PhasesRun run{with_traffic(), {}};
  run.config.run.duration = 2 * kSecond;
  run.config.run.drain_timeout = kSecond / 2;
  ScriptedDriver driver(run.config);
  driver.drains = false;
  const stats::Outcome o = run(driver);
  CHECK(o.flushed);
  CHECK(o.ended == o.stopped + kSecond / 2);
  CHECK(driver.calls == Calls{"begin", "stop", "flush", "settle", "final", "close"});
  REQUIRE(run.notes.size() == 1);
  CHECK(run.notes[0] == "draining: waiting up to 0.5 s for outstanding requests (Ctrl-C to abandon them)");
}

TEST_CASE("the first signal ends the traffic and leaves time to drain", "[experiment]") {
  PhasesRun run{with_traffic(), {}};
  run.config.run.drain_timeout = kSecond;
  ScriptedDriver driver(run.config);
  driver.stops_at = 2 * kSecond;
  driver.drains = false;
  const stats::Outcome o = run(driver);
  CHECK(o.interrupted);
  CHECK(o.stopped == 2 * kSecond);
  CHECK(o.ended == 3 * kSecond);
  REQUIRE(run.notes.size() == 1);
  CHECK(run.notes[0] ==
        "draining: waiting up to 1 s for outstanding requests (Ctrl-C again to abandon them)");
}
