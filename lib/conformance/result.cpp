// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/result.hpp"

#include <array>

namespace softfeb::conformance {

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 7> kNames = {
      "pass", "fail", "known deviation", "inconclusive", "not applicable", "measured", "not run"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Totals totals_of(const SuiteResult& result) {
  Totals out;
  std::array<std::size_t Totals::*, 7> fields = {
      &Totals::pass,           &Totals::fail,     &Totals::known_deviation, &Totals::inconclusive,
      &Totals::not_applicable, &Totals::measured, &Totals::not_run};
  for (const CaseResult& r : result.cases) ++(out.*fields[static_cast<std::size_t>(r.verdict)]);
  return out;
}

}  // namespace softfeb::conformance
