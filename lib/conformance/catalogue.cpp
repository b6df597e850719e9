// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/catalogue.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::conformance {

namespace {

bool names(std::string_view name, const Case& c) { return name == c.id || name == c.group(); }

/// True for cases that send at a high rate; they run only on request.
bool stresses(const Case& c) {
  return c.group() == "STR" || c.id == "CNP-13" || c.id == "CNP-14" || c.id == "CNP-15" || c.id == "CNP-16" ||
         c.id == "CNP-17";
}

bool lasts_minutes(const Case& c) {
  return std::any_of(c.traffic.begin(), c.traffic.end(),
                     [](const TrafficSpec& spec) { return spec.duration >= 60 * kSecond; });
}

void check_names(const Catalogue& catalogue, const Selection& selection) {
  for (std::string_view name : selection.cases) {
    if (!name.empty() && name.front() == '!') name.remove_prefix(1);
    if (catalogue.find(name) != nullptr || catalogue.find_group(name) != nullptr) continue;
    throw NotationError("unknown case or group '" + std::string(name) + "'; the nearest is " +
                        catalogue.nearest(name) + " (--list prints all)");
  }
}

}  // namespace

Catalogue::Catalogue() {
  for (const CatalogueFile& file : catalogue_files()) groups_.push_back(parse_group(file.text, file.name));
}

std::size_t Catalogue::size() const {
  return std::accumulate(groups_.begin(), groups_.end(), std::size_t{0},
                         [](std::size_t sum, const CaseGroup& g) { return sum + g.cases.size(); });
}

const Case* Catalogue::find(std::string_view id) const {
  for (const CaseGroup& group : groups_) {
    for (const Case& c : group.cases) {
      if (c.id == id) return &c;
    }
  }
  return nullptr;
}

const CaseGroup* Catalogue::find_group(std::string_view name) const {
  const auto it =
      std::find_if(groups_.begin(), groups_.end(), [&](const CaseGroup& g) { return g.name == name; });
  return it == groups_.end() ? nullptr : &*it;
}

std::string Catalogue::nearest(std::string_view name) const {
  std::string best;
  std::size_t least = SIZE_MAX;
  const auto consider = [&](const std::string& candidate) {
    const std::size_t d = edit_distance(name, candidate);
    if (d >= least) return;
    least = d;
    best = candidate;
  };
  for (const CaseGroup& group : groups_) {
    consider(group.name);
    for (const Case& c : group.cases) consider(c.id);
  }
  return best;
}

std::string why_not_selected(const Case& c, const Selection& selection) {
  bool included = true, asked = false;
  for (std::string_view name : selection.cases) {
    const bool excludes = !name.empty() && name.front() == '!';
    if (!excludes && !asked) {
      included = false;  // a list that names cases to run replaces the default (all cases)
      asked = true;
    }
    if (excludes) name.remove_prefix(1);
    if (names(name, c)) included = !excludes;
  }
  if (!included) return "not in --cases";
  const auto& levels = selection.levels;
  if (!levels.empty() && std::find(levels.begin(), levels.end(), c.level) == levels.end())
    return "not of the level given by --level";
  if (selection.quick && (c.level != Level::kShall || stresses(c) || lasts_minutes(c)))
    return "not part of --quick";
  if (stresses(c) && !selection.stress) return "sends at a high rate: needs --stress";
  if ((c.needs & kDestructive) != 0 && !selection.destructive)
    return "may crash the target: needs --destructive";
  return {};
}

std::vector<const Case*> select(const Catalogue& catalogue, const Selection& selection) {
  check_names(catalogue, selection);
  std::vector<const Case*> out;
  for (const CaseGroup& group : catalogue.groups()) {
    for (const Case& c : group.cases) {
      if (why_not_selected(c, selection).empty()) out.push_back(&c);
    }
  }
  std::stable_partition(out.begin(), out.end(), [](const Case* c) { return (c->needs & kDestructive) == 0; });
  return out;
}

}  // namespace softfeb::conformance
