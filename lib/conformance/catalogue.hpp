// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/case.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// A file of the catalogue, which is compiled into the library.
struct CatalogueFile {
  std::string_view name;  ///< for example "PSN.yaml"
  std::string_view text;
};
/// Returns the files of lib/conformance/catalogue, in the order of the groups.
std::span<const CatalogueFile> catalogue_files();

struct CaseGroup {
  std::string name;   ///< for example "PSN"
  std::string title;  ///< for example "Packet sequence numbers"
  std::vector<Case> cases;
};

/// Parses a group of cases. Throws NotationError, which names `file`, the case and the fix.
CaseGroup parse_group(std::string_view text, std::string_view file);

/// All cases. Immutable after construction.
class Catalogue {
 public:
  /// Creates the catalogue that is compiled in. Throws NotationError if it is invalid; a unit test ensures
  /// that it is valid.
  Catalogue();
  explicit Catalogue(std::vector<CaseGroup> groups) : groups_(std::move(groups)) {}

  const std::vector<CaseGroup>& groups() const { return groups_; }
  std::size_t size() const;
  const Case* find(std::string_view id) const;  ///< null if there is no such case
  const CaseGroup* find_group(std::string_view name) const;
  /// Returns the case or group whose name is most similar to `name`, for error messages.
  std::string nearest(std::string_view name) const;

 private:
  std::vector<CaseGroup> groups_;
};

/// Determines which cases run.
struct Selection {
  /// Names of groups and cases; all cases if empty. A leading `!` excludes a name.
  std::vector<std::string> cases;
  std::vector<Level> levels;  ///< levels of the cases; all if empty
  bool quick = false;         ///< only short cases of level "shall" that do not send at a high rate
  bool stress = false;        ///< also the group STR and CNP-13 to CNP-17
  bool destructive = false;   ///< also cases that may crash the target
};

/// Returns the selected cases in the order in which they run: the order of the catalogue, but with
/// destructive cases last. Throws NotationError if a name is unknown; the message proposes the nearest one.
std::vector<const Case*> select(const Catalogue& catalogue, const Selection& selection);
/// Returns the reason why a case of the catalogue was not selected, or an empty text if it was selected.
std::string why_not_selected(const Case& c, const Selection& selection);

}  // namespace softfeb::conformance
