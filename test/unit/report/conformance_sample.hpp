// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <string_view>

namespace softfeb::test {

/// Returns the catalogue with some changed expectations that softfeb's receiver does not fulfil.
conformance::Catalogue sample_catalogue();

/// Returns the result of a run in virtual time against softfeb's receiver. Every verdict occurs: BAS-08,
/// PSN-04 and PSN-09 fail because of their changed expectations, and MEM-02 because the memory contents are
/// wrong. LEN-17 is a known deviation. The deviation that the profile lists for PSN-01 does not occur. LOS-01
/// is inconclusive and contains every fault. ACK-09 is measured. `catalogue` must be sample_catalogue() and
/// must outlive the result.
conformance::SuiteResult sample_conformance(const conformance::Catalogue& catalogue);

/// Returns the result of a case. Throws std::out_of_range if the case is not in `suite`.
conformance::CaseResult& case_result(conformance::SuiteResult& suite, std::string_view id);

}  // namespace softfeb::test
