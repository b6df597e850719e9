// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/virtual_run.hpp"

namespace softfeb::test {

/// Returns the conformance catalogue with changes, so that softfeb's own receiver does not pass every case:
/// PSN-04 does not expect the NAK that arrives, PSN-09 expects more answers than arrive, UC-08 and LEN-17
/// show known deviations, and MEM-02 finds unexpected bytes in memory.
conformance::Catalogue sample_catalogue();

/// Returns the result of `catalogue` against softfeb's own receiver in virtual time. The result contains
/// every verdict except "not run". One of its cases contains packets that fault rules dropped, duplicated,
/// delayed and changed, and texts that only a hostile target would send.
conformance::SuiteResult sample_conformance(const conformance::Catalogue& catalogue);

}  // namespace softfeb::test
