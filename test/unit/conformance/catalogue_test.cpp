// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/catalogue.hpp"

#include "conformance/own_target.hpp"
#include "conformance/virtual_run.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

TEST_CASE("every case that can run passes against softfeb's own receiver", "[own]") {
  const Catalogue catalogue;
  const OwnTargetConfig addresses = virtual_addresses();
  OwnTarget target(addresses);
  const SuiteConfig config{
      .cases = select(catalogue, {.stress = true, .destructive = true}), .profile = {}, .target = "own:"};
  const SuiteResult result = run_in_virtual_time(catalogue, config, virtual_target(target, addresses));
  CHECK(result.no_baseline.value_or("") == "");
  for (const CaseResult& r : result.cases) {
    INFO(r.of->id << ": " << r.reason);
    CHECK((r.verdict == Verdict::kPass || r.verdict == Verdict::kMeasured ||
           r.verdict == Verdict::kNotApplicable));
  }
  const Totals totals = totals_of(result);
  CHECK(totals.pass >= 215);
  CHECK(totals.measured >= 20);
  CHECK(totals.not_run == 0);
}
