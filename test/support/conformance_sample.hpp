// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/virtual_run.hpp"

namespace softfeb::test {

/// The catalogue, changed so that softfeb's own receiver does not pass everywhere: PSN-04 does not expect the
/// NAK, PSN-09 awaits more than comes, UC-08 and LEN-17 differ as their deviations say, and MEM-02 finds
/// other bytes in memory.
conformance::Catalogue sample_catalogue();

/// The outcome of that catalogue against softfeb's own receiver in virtual time: it has every verdict but
/// "not run". One case has packets that fault rules dropped, duplicated, delayed and changed, and texts that
/// only a hostile target would send.
conformance::SuiteResult sample_conformance(const conformance::Catalogue& catalogue);

}  // namespace softfeb::test
