// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "conformance/case.hpp"
#include "conformance/result.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// How a target may differ from what a case expects, without being a failure.
struct Deviation {
  std::string why;     ///< not empty
  std::string source;  ///< "measured", or a document
  std::string until;   ///< version of the driver or firmware in which it was corrected; empty: none known
  /// Answers of the target to the part that differs, in the notation; none: any answers.
  std::optional<Expectation> observe;
  bool destructive = false;  ///< the case harms this target
};

/// What is known about a kind of target (doc/conformance.md). A profile never changes what a case sends.
struct Profile {
  std::string name = "iba";
  std::string device;                           ///< in words
  std::optional<Time> t_ack;                    ///< instead of the calibrated time
  std::optional<Time> silence;                  ///< likewise
  std::set<std::string> lacks;                  ///< capabilities that the target lacks
  bool bounds_before_length = false;            ///< LEN-10: NAK 0x62 instead of NAK 0x61
  bool cnps_with_naks = false;                  ///< a CNP accompanies a NAK
  std::map<std::string, double> limits;         ///< of figures, by CASE.FIGURE
  std::map<std::string, Deviation> deviations;  ///< by case
};

/// Parses a profile without its base. `base` gets the name of the profile that it extends; empty: none.
/// Throws NotationError, which names `file`, the line and the fix. Refuses deviations of cases that the
/// catalogue lacks, and those whose reason has not been filled in.
Profile parse_profile(std::string_view text, std::string_view file, std::string& base);
/// `own` on top of `base`.
Profile extended(const Profile& base, const Profile& own);

/// The failures of a run as the text of a profile, for the user to complete.
std::string draft_profile(const SuiteResult& result);

}  // namespace softfeb::conformance
