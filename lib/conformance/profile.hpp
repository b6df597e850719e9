// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "conformance/case.hpp"
#include "conformance/catalogue.hpp"
#include "conformance/result.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// A permitted difference between a target and what a case expects. It does not count as a failure.
struct Deviation {
  std::string why;       ///< not empty
  std::string source;    ///< "measured", or a document
  std::string versions;  ///< of the driver or firmware in which it was seen; empty: not said
  std::string until;     ///< version in which it was corrected; empty: none known
  /// Answers of the target in each part that differs, in the notation.
  std::optional<Expectation> observe;
  std::optional<WrittenSpec> written;
  std::optional<std::vector<CompletionSpec>> completions;
  std::optional<TargetState> state;
  bool destructive = false;  ///< the case harms this target
  std::string text;          ///< as YAML, for to_yaml()

  /// False: every failure of the case is this deviation.
  bool says_what() const { return observe || written || completions || state; }
};

/// The known properties of a kind of target (doc/conformance-profiles.md). A profile never changes what a
/// case sends.
struct Profile {
  std::string name = "iba";
  std::string device;                           ///< in words
  std::vector<std::string> sources;             ///< where its contents come from
  std::optional<Time> t_ack;                    ///< instead of the calibrated time
  std::optional<Time> silence;                  ///< likewise
  std::set<std::string> lacks;                  ///< capabilities that the target lacks (lackable())
  std::set<std::string> has;                    ///< capabilities that the base lacks, but not this target
  std::optional<bool> bounds_before_length;     ///< LEN-10: NAK 0x62 instead of NAK 0x61; none: false
  std::optional<bool> cnps_with_naks;           ///< a CNP accompanies a NAK 0x60; none: false
  std::map<std::string, double> limits;         ///< of figures, by CASE.FIGURE, in the figure's unit
  std::map<std::string, Deviation> deviations;  ///< by case
};

/// Parses a profile without its base. `base` gets the name of the profile that it extends; empty: none.
/// Throws NotationError, which names `file`, line, key and the fix. Refuses unknown keys, deviations and
/// limits of cases that the catalogue lacks, and deviations whose reason has not been filled in.
Profile parse_profile(std::string_view text, std::string_view file, const Catalogue& catalogue,
                      std::string& base);
/// `own` on top of `base`.
Profile extended(const Profile& base, const Profile& own);

/// The text of a profile, and the name of its file.
struct ProfileText {
  std::string text;
  std::string file;
};
/// Parses the profile `name` and the profiles that it extends. `read` finds a profile by its name; the second
/// argument is the file that names it (empty: the user), for messages. Throws NotationError, also if profiles
/// extend each other in a circle.
Profile resolve_profile(
    std::string_view name, const Catalogue& catalogue,
    const std::function<ProfileText(const std::string& name, const std::string& named_by)>& read);
/// The profile as a file without a base.
std::string to_yaml(const Profile& profile);

/// The capabilities that a profile may say are lacking.
const std::vector<std::string>& lackable();
/// Why the profile makes a case not applicable; empty if it does not. `destructive`: cases that harm the
/// target are permitted.
std::string why_not_applicable(const Case& c, const Profile& profile, bool destructive);
/// Compares the figures of a case with the limits of the profile. A figure above its limit makes the case
/// fail.
void apply_limits(const Profile& profile, CaseResult& result);
/// The deviations and limits of the profile that did not come up, although their case ran: deviations of
/// cases that passed, and limits of figures that were not measured.
std::vector<std::string> not_seen(const Profile& profile, const SuiteResult& result);

/// The failures of a run as the text of a profile that extends `base`, the profile of the run: a name, or an
/// absolute path. The user must fill in why the target deviates.
std::string draft_profile(const SuiteResult& result, const std::string& base);

}  // namespace softfeb::conformance
