// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <string_view>

namespace softfeb::test {

/// The catalogue with some expectations that softfeb's receiver does not fulfil.
conformance::Catalogue sample_catalogue();

/// A run in virtual time against softfeb's receiver with every verdict: BAS-08, PSN-04 and PSN-09 fail
/// because of their expectations, MEM-02 because of its memory. LEN-17 is a known deviation, and that of
/// PSN-01 is not seen. LOS-01 is inconclusive and has every fault. ACK-09 is measured. `catalogue`:
/// sample_catalogue(), which must outlive the result.
conformance::SuiteResult sample_conformance(const conformance::Catalogue& catalogue);

/// The result of a case. Throws std::out_of_range if there is none.
conformance::CaseResult& case_result(conformance::SuiteResult& suite, std::string_view id);

}  // namespace softfeb::test
