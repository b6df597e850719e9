// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <string>

/// Writes the folder of `softfeb conformance --out`.
namespace softfeb::report {

/// File names within the folder, such as "cases/PSN-09.html" and "cases/PSN-09.pcapng". Other files link to
/// these files.
std::string page_of(const conformance::Case& c);
std::string capture_of(const conformance::Case& c);
/// True if the trace of a case contains frames, so that there is a capture.
bool has_capture(const conformance::CaseResult& result);

/// Contents of the folder in addition to the result.
struct ConformanceExtras {
  std::string config;   ///< the configuration, as YAML
  std::string profile;  ///< the profile with its base profiles, as YAML (conformance::to_yaml())
  bool strict = false;  ///< the run fails if an expected deviation was not observed
};

/// Checks that the folder can be written, and that it does not exist yet, is empty, or contains only the
/// results of an earlier run. Otherwise, throws EnvironmentError. Call this function before a run.
void check_conformance_folder(const std::string& folder);

/// Writes index.html, result.json, junit.xml, profile.yaml, config.yaml and cases/ to `folder`. The folder
/// appears only when everything has been written; the folder then replaces the results of an earlier run.
/// Throws EnvironmentError.
void write_conformance(const conformance::SuiteResult& result, const conformance::Catalogue& catalogue,
                       const std::string& folder, const ConformanceExtras& extras);

}  // namespace softfeb::report
