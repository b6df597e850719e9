// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/useless_options.hpp"

#include "config/error.hpp"
#include "config/web_config.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace softfeb::experiment {

namespace {

[[noreturn]] void refuse(const char* option, const std::string& why, const std::string& fix) {
  throw config::ConfigError({{{option, 0, ""}, why, fix}});
}

void refuse_no_pictures_of_nothing(bool pictures, bool report) {
  if (pictures || report) return;
  refuse("--no-pictures", "there is no report that could have pictures", "add --report DIR, or leave it out");
}

/// By --web or by --set: the last one counts, as ever. One that is no address is for who reads the
/// configuration to refuse.
bool asks_for_page(const std::vector<std::string>& overrides) {
  constexpr std::string_view kKey = "run.web=";
  bool asked = false;
  for (const std::string& o : overrides) {
    if (o.compare(0, kKey.size(), kKey) != 0) continue;
    const auto web = config::parse_web(o.substr(kKey.size()));
    asked = web.value && web.value->on;
  }
  return asked;
}

}  // namespace

void refuse_useless(const RunOptions& options) {
  refuse_no_pictures_of_nothing(options.pictures, options.report.has_value());
}

void refuse_useless(const LabOptions& options) {
  refuse_no_pictures_of_nothing(options.pictures, options.report.has_value());
  if (!options.sweep && !options.virtual_time) return;
  const std::string why = options.sweep ? "a sweep runs in virtual time, where there is no page"
                                        : "in virtual time there is no page";
  const auto fix = [&](const std::string& option) {
    return "leave out " + option + (options.sweep ? "" : ", or --virtual");
  };
  if (options.hold) refuse("--hold", why, fix("--hold"));
  if (asks_for_page(options.overrides)) refuse("--web", why, fix("--web"));
}

void refuse_useless_hold(bool hold, bool page) {
  if (hold && !page) refuse("--hold", "there is no page that could stay", "add --web");
}

}  // namespace softfeb::experiment
