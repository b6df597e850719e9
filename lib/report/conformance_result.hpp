// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Returns the result document of `softfeb conformance` (doc/conformance-results.md): one JSON object, which
/// is complete no matter how the run ended. It may contain texts from the target that are invalid UTF-8;
/// conformance_text() replaces invalid UTF-8. `strict` is passed to overall_verdict().
nlohmann::ordered_json make_conformance_result(const conformance::SuiteResult& result, bool strict);
/// Returns the document as text, in which invalid UTF-8 is replaced.
std::string conformance_text(const nlohmann::ordered_json& document);

/// Returns the run as JUnit XML, with a suite for each group of the catalogue.
std::string conformance_junit(const conformance::SuiteResult& result,
                              const conformance::Catalogue& catalogue);

}  // namespace softfeb::report
