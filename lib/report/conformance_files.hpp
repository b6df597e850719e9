// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <string>

/// The folder of `softfeb conformance --out`.
namespace softfeb::report {

/// Names in the folder, which other files refer to: "cases/PSN-09.html", "cases/PSN-09.pcapng".
std::string page_of(const conformance::Case& c);
std::string capture_of(const conformance::Case& c);
/// True if the trace of a case has frames.
bool has_capture(const conformance::CaseResult& result);

/// What the folder contains in addition to the result.
struct ConformanceExtras {
  std::string config;   ///< the configuration, as YAML
  std::string profile;  ///< the profile with its bases, as YAML (conformance::to_yaml())
  bool strict = false;  ///< deviations that were not seen make the run fail
};

/// Call before a run. Checks that the folder can be written: it does not exist, is empty, or contains only
/// results of an earlier run. Throws EnvironmentError.
void check_conformance_folder(const std::string& folder);

/// Writes index.html, result.json, junit.xml, profile.yaml, config.yaml and cases/ to `folder`. The folder
/// appears complete or not at all: it replaces the results of an earlier run only when everything has been
/// written. Throws EnvironmentError.
void write_conformance(const conformance::SuiteResult& result, const conformance::Catalogue& catalogue,
                       const std::string& folder, const ConformanceExtras& extras);

}  // namespace softfeb::report
