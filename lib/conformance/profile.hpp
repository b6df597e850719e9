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

/// A permitted difference between the behaviour of a target and the expectation of a case. It does not count
/// as a failure.
struct Deviation {
  std::string why;     ///< not empty
  std::string source;  ///< "measured", or a document
  /// Driver or firmware versions in which the deviation was seen; empty if not specified.
  std::string versions;
  std::string until;  ///< version in which the deviation was corrected; empty if none is known
  /// The answers that the target gives instead of the expected ones, in each part in which it deviates.
  std::optional<Expectation> observe;
  std::optional<WrittenSpec> written;
  std::optional<std::vector<CompletionSpec>> completions;
  std::optional<TargetState> state;
  bool destructive = false;  ///< the case harms this target
  std::string text;          ///< the deviation as YAML, for to_yaml()

  /// True if the deviation describes the behaviour of the target. If it does not, every failure of the case
  /// counts as this deviation.
  bool says_what() const { return observe || written || completions || state; }
};

/// The known properties of a type of target (doc/conformance-profiles.md). A profile never changes what a
/// case sends.
struct Profile {
  std::string name = "iba";
  std::string device;                ///< description of the target
  std::vector<std::string> sources;  ///< origin of the contents
  std::optional<Time> t_ack;         ///< replaces the calibrated T_ack
  std::optional<Time> silence;       ///< replaces the calibrated silence window
  std::set<std::string> lacks;       ///< capabilities that the target lacks (lackable())
  /// Capabilities that the base profile lacks, but this target has.
  std::set<std::string> has;
  /// True if the target checks the bounds of the region before the length of the packet, so that LEN-10
  /// expects NAK 0x62 instead of NAK 0x61. Empty means false.
  std::optional<bool> bounds_before_length;
  std::optional<bool> cnps_with_naks;  ///< true if a CNP may accompany a NAK 0x60; empty means false
  /// Limits of figures, in the figure's unit; the key is CASE.FIGURE.
  std::map<std::string, double> limits;
  std::map<std::string, Deviation> deviations;  ///< deviations by id of the case
};

/// Parses a profile without its base profile. Stores the name of the base profile in `base` (empty if there
/// is none). Throws NotationError with `file`, line, key and a fix. Refuses unknown keys, deviations and
/// limits of cases that are not in the catalogue, and deviations whose reason has not been filled in.
Profile parse_profile(std::string_view text, std::string_view file, const Catalogue& catalogue,
                      std::string& base);
/// Combines a profile with its base profile; `own` has precedence.
Profile extended(const Profile& base, const Profile& own);

/// The text of a profile, and the name of its file.
struct ProfileText {
  std::string text;
  std::string file;
};
/// Parses the profile `name` and the profiles that it extends. `read` finds a profile by its name. The second
/// argument of `read` is for messages: the file that names this profile as its base, or an empty text if the
/// user named the profile. Throws NotationError, for example if profiles extend each other in a circle.
Profile resolve_profile(
    std::string_view name, const Catalogue& catalogue,
    const std::function<ProfileText(const std::string& name, const std::string& named_by)>& read);
/// Returns the profile as the text of a file that needs no base profile.
std::string to_yaml(const Profile& profile);

/// The capabilities that a profile may list as lacking.
const std::vector<std::string>& lackable();
/// Returns the reason why the profile makes a case not applicable, or an empty text. `destructive` tells
/// whether cases that harm the target are permitted.
std::string why_not_applicable(const Case& c, const Profile& profile, bool destructive);
/// Compares the figures of a case with the limits of the profile. The case fails if a figure exceeds its
/// limit.
void apply_limits(const Profile& profile, CaseResult& result);
/// Returns the deviations and limits of the profile that were not confirmed although their cases ran:
/// deviations of cases that passed, and limits of figures that were not measured.
std::vector<std::string> not_seen(const Profile& profile, const SuiteResult& result);

/// Writes the failures of a run as a profile that extends `base`, the profile of this run (a name or an
/// absolute path). The user must fill in why the target deviates.
std::string draft_profile(const SuiteResult& result, const std::string& base);

}  // namespace softfeb::conformance
