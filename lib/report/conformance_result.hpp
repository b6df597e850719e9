// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Returns the result document of `softfeb conformance` (doc/conformance-results.md): one JSON object,
/// complete however the run ended. Texts from the target that are not UTF-8 are replaced where the document
/// is written (conformance_text()).
nlohmann::ordered_json make_conformance_result(const conformance::SuiteResult& result, bool strict);
/// The document as text.
std::string conformance_text(const nlohmann::ordered_json& document);

/// Returns the run as JUnit XML: a suite for each group of the catalogue.
std::string conformance_junit(const conformance::SuiteResult& result,
                              const conformance::Catalogue& catalogue);

}  // namespace softfeb::report
