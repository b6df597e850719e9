// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/cpu_account.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;
using engine::Stage;

namespace {

std::vector<CpuSample> samples_of(CpuAccount& account) {
  std::vector<CpuSample> all;
  for (CpuSample s; account.samples().pop(s);) all.push_back(s);
  return all;
}

/// Measures an iteration with 10 cycles of kRx, 30 of kBuild and 60 of other work.
void measure(CpuAccount& account, bool busy) {
  account.begin(1000);
  account.enter(Stage::kRx, 1040);
  account.enter(Stage::kBuild, 1050);
  account.enter(Stage::kOther, 1080);
  account.end(1100, busy);
}

float share(const CpuSample& s, Stage stage) { return s.stages[static_cast<std::size_t>(stage)]; }

}  // namespace

TEST_CASE("every 10 ms of a worker's time are a sample") {
  CpuAccount account;
  for (int i = 0; i < 10'000; ++i) account.add(kMicrosecond, i % 4 == 0);
  const auto samples = samples_of(account);
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].busy == Approx(0.25));
  CHECK(share(samples[0], Stage::kRx) == 0);  // no iteration was measured, so the stages are unknown
}

TEST_CASE("a long iteration extends over several samples") {
  CpuAccount account;
  account.add(5 * kMillisecond, true);
  account.add(26 * kMillisecond, false);
  account.add(9 * kMillisecond, true);
  const auto samples = samples_of(account);
  REQUIRE(samples.size() == 4);
  CHECK(samples[0].busy == Approx(0.5));
  CHECK(samples[1].busy == 0);
  CHECK(samples[2].busy == 0);
  CHECK(samples[3].busy == Approx(0.9));
}

TEST_CASE("the busy time is divided in the measured proportions") {
  CpuAccount account;
  measure(account, true);
  measure(account, false);  // idle iterations do not affect the proportions
  account.add(4 * kMillisecond, true);
  account.add(16 * kMillisecond, false);
  const auto samples = samples_of(account);
  REQUIRE(samples.size() == 2);
  CHECK(share(samples[0], Stage::kRx) == Approx(0.04));
  CHECK(share(samples[0], Stage::kBuild) == Approx(0.12));
  CHECK(share(samples[0], Stage::kOther) == Approx(0.24));
  CHECK(share(samples[0], Stage::kTx) == 0);
  CHECK(share(samples[1], Stage::kRx) == 0);

  // If a sample contains no measured iteration, the proportions of earlier measurements apply.
  account.add(10 * kMillisecond, true);
  CHECK(share(samples_of(account).at(0), Stage::kRx) == Approx(0.1));
}

TEST_CASE("the times of a worker add up to the length of its samples") {
  CpuTimes times;
  CpuSample s;
  s.busy = 0.5;  // without shares of stages, busy time counts as kOther
  times.add(s);
  CHECK(times.stages[static_cast<std::size_t>(Stage::kOther)] == Approx(0.005));
  CHECK(times.idle == Approx(0.005));
  s.busy = 0.75;
  s.stages[static_cast<std::size_t>(Stage::kRx)] = 0.25;
  s.stages[static_cast<std::size_t>(Stage::kTx)] = 0.5;
  times.add(s);
  times.add(s);
  CHECK(times.stages[static_cast<std::size_t>(Stage::kRx)] == Approx(0.005));
  CHECK(times.stages[static_cast<std::size_t>(Stage::kTx)] == Approx(0.01));
  CHECK(times.stages[static_cast<std::size_t>(Stage::kOther)] == Approx(0.005));
  CHECK(times.idle == Approx(0.01));
}

TEST_CASE("one of 64 iterations is measured, at irregular distances") {
  CpuAccount account;
  std::vector<int> distances;
  int last = 0;
  for (int i = 1; i <= 640'000; ++i) {
    if (!account.measures_next()) continue;
    distances.push_back(i - last);
    last = i;
  }
  CHECK(distances.size() == Approx(10'000).epsilon(0.05));
  CHECK(*std::min_element(distances.begin(), distances.end()) < 40);
  CHECK(*std::max_element(distances.begin(), distances.end()) > 90);
}
