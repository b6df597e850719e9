// SPDX-License-Identifier: BSD-3-Clause
// Combines a profile with the profile that it extends, and applies profiles to the cases of a run.
#include "conformance/profile.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace softfeb::conformance {

namespace {

/// Names of two capabilities. The need that corresponds to kNotificationPoint has a different name, cnps.
constexpr std::string_view kNotificationPoint = "notification_point";
constexpr std::string_view kIcrcCounter = "icrc_counter";
constexpr const char* kIcrcErrors = "icrc_errors";  ///< name of the counter in the catalogue

bool counts_icrc_errors(const Case& c) {
  const auto has = [](const auto& one) { return one.counters.count(kIcrcErrors) != 0; };
  return std::any_of(c.parts.begin(), c.parts.end(), has) ||
         std::any_of(c.traffic.begin(), c.traffic.end(), has);
}

/// True if a case needs this capability, which a profile may list as lacking.
bool needs(const Case& c, const std::string& capability) {
  if (capability == kIcrcCounter) return (c.needs & kNeedsCounters) != 0 && counts_icrc_errors(c);
  if (capability == kNotificationPoint) return (c.needs & kNeedsCnps) != 0;
  return (c.needs & need_of(capability).value_or(0)) != 0;
}

std::string number_text(double value, const std::string& unit) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data() + (unit.empty() ? "" : " " + unit);
}

void add_profile(std::string_view name, const std::string& named_by, const Catalogue& catalogue,
                 const std::function<ProfileText(const std::string&, const std::string&)>& read,
                 std::vector<std::string>& files, std::vector<Profile>& out) {
  const ProfileText found = read(std::string(name), named_by);
  if (std::find(files.begin(), files.end(), found.file) != files.end()) {
    std::string circle;
    for (const std::string& file : files) circle += file + " → ";
    throw NotationError(named_by + ": base: profiles extend each other in a circle: " + circle + found.file +
                        "; fix: remove one base");
  }
  files.push_back(found.file);
  std::string base;
  out.push_back(parse_profile(found.text, found.file, catalogue, base));
  if (!base.empty()) add_profile(base, found.file, catalogue, read, files, out);
}

}  // namespace

const std::vector<std::string>& lackable() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names{std::string(kNotificationPoint), std::string(kIcrcCounter)};
    for (const std::string_view name : need_names()) {
      // A profile cannot list these three needs as lacking. Instead of cnps, it lists the capability
      // notification_point. If memory cannot be read, cases are judged by their packets alone. "destructive"
      // describes what a case does, not what it needs.
      if (name != "cnps" && name != "memory" && name != "destructive") names.emplace_back(name);
    }
    return names;
  }();
  return kNames;
}

Profile extended(const Profile& base, const Profile& own) {
  Profile out = base;
  out.name = own.name;
  if (!own.device.empty()) out.device = own.device;
  out.sources.insert(out.sources.end(), own.sources.begin(), own.sources.end());
  if (own.t_ack) out.t_ack = own.t_ack;
  if (own.silence) out.silence = own.silence;
  for (const std::string& name : own.has) out.lacks.erase(name);
  out.lacks.insert(own.lacks.begin(), own.lacks.end());
  if (own.bounds_before_length) out.bounds_before_length = own.bounds_before_length;
  if (own.cnps_with_naks) out.cnps_with_naks = own.cnps_with_naks;
  for (const auto& [name, limit] : own.limits) out.limits[name] = limit;
  for (const auto& [id, deviation] : own.deviations) out.deviations[id] = deviation;
  return out;
}

Profile resolve_profile(
    std::string_view name, const Catalogue& catalogue,
    const std::function<ProfileText(const std::string& name, const std::string& named_by)>& read) {
  std::vector<std::string> files;
  std::vector<Profile> chain;
  add_profile(name, "", catalogue, read, files, chain);
  Profile out = chain.back();
  for (std::size_t k = chain.size() - 1; k-- != 0;) out = extended(out, chain[k]);
  return out;
}

std::string why_not_applicable(const Case& c, const Profile& profile, bool destructive) {
  for (const std::string& name : profile.lacks) {
    if (needs(c, name)) return "the profile " + profile.name + " says that the target lacks " + name;
  }
  const auto deviation = profile.deviations.find(c.id);
  // A case that is destructive by itself runs only on request.
  const bool selected = destructive || (c.needs & kDestructive) != 0;
  if (deviation == profile.deviations.end() || !deviation->second.destructive || selected) return {};
  return "the profile " + profile.name + " says that the case harms the target (" + deviation->second.why +
         "): needs --destructive";
}

void apply_limits(const Profile& profile, CaseResult& result) {
  for (Figure& figure : result.figures) {
    const auto limit = profile.limits.find(result.of->id + "." + figure.name);
    if (limit == profile.limits.end()) continue;
    figure.limit = limit->second;
    const bool judged = result.verdict == Verdict::kPass || result.verdict == Verdict::kMeasured ||
                        result.verdict == Verdict::kKnownDeviation;
    if (!figure.exceeded() || !judged) continue;
    result.verdict = Verdict::kFail;
    result.reason = figure.name + " is " + number_text(figure.value, figure.unit) +
                    (figure.more_is_better ? ", below" : ", above") + " the profile's limit of " +
                    number_text(limit->second, figure.unit);
  }
}

std::vector<std::string> not_seen(const Profile& profile, const SuiteResult& result) {
  std::vector<std::string> out;
  const auto ran = [&](const std::string& id) -> const CaseResult* {
    const auto it = std::find_if(result.cases.begin(), result.cases.end(),
                                 [&](const CaseResult& r) { return r.of->id == id; });
    const bool judged =
        it != result.cases.end() && it->attempts != 0 && it->verdict != Verdict::kInconclusive;
    return judged ? &*it : nullptr;
  };
  for (const auto& [id, deviation] : profile.deviations) {
    const CaseResult* const r = ran(id);
    if (r != nullptr && (r->verdict == Verdict::kPass || r->verdict == Verdict::kMeasured)) out.push_back(id);
  }
  for (const auto& [name, limit] : profile.limits) {
    const std::size_t dot = name.find('.');
    const CaseResult* const r = ran(name.substr(0, dot));
    if (r == nullptr) continue;
    const auto& figures = r->figures;
    if (std::none_of(figures.begin(), figures.end(),
                     [&, &name = name](const Figure& f) { return f.name == name.substr(dot + 1); }))
      out.push_back(name);
  }
  return out;
}

}  // namespace softfeb::conformance
