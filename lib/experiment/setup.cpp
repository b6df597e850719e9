// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/setup.hpp"

#include "config/error.hpp"
#include "config/load.hpp"
#include "service/log.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace softfeb::experiment {

namespace {

[[noreturn]] void refuse(const char* option, const std::string& why, const std::string& fix) {
  throw config::ConfigError({{{option, 0, ""}, why, fix}});
}

/// True if --web or --set requests the live page; the last option wins. Invalid addresses are reported by
/// the config loader.
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

/// Makes ports that are stations of the network accept frames to any address, because such a port represents
/// all equipment connected to it.
void accept_all_addresses(config::LabConfig& lab) {
  for (const auto& [station, port] : lab.port_stations) {
    config::PortConfig& p = lab.run.ports[port];
    if (p.promiscuous == config::Promiscuous::kAuto) p.promiscuous = config::Promiscuous::kOn;
  }
}

config::LabConfig load(const Options& o) {
  config::LabConfig lab;
  if (o.command == Options::Command::kRun) {
    lab.run = config::load_run(o.config, o.overrides);
    return lab;
  }
  lab = config::load_lab(o.config, o.overrides);
  if (!o.virtual_time && o.command == Options::Command::kLab) accept_all_addresses(lab);
  return lab;
}

}  // namespace

Setup::Setup(const Options& o)
    : options(o),
      lab(load(o)),
      quiet(o.quiet || lab.run.run.quiet || !service::log().writes(service::Level::kNotice)) {
  if (o.virtual_time || o.command == Options::Command::kSweep) return;
  const auto wanted = config::load_web(o.config, o.overrides);
  page_asked_for = wanted.has_value() || o.command == Options::Command::kRun;
  const bool by_default = o.command == Options::Command::kLab && !quiet;
  page = wanted.value_or(config::WebConfig{.on = by_default});
  if (o.hold && !page.on) refuse("--hold", "--hold requires a live page", "add --web");
}

void refuse_useless(const Options& o) {
  if (!o.pictures && !o.report)
    refuse("--no-pictures", "--no-pictures requires --report", "add --report DIR, or remove --no-pictures");
  const bool sweep = o.command == Options::Command::kSweep;
  const bool several = sweep || o.command == Options::Command::kCompare;
  if (!several && !o.virtual_time) return;
  const std::string why = several ? std::string(sweep ? "a sweep" : "a comparison") +
                                        " runs in virtual time, which has no live page"
                                  : "virtual time has no live page";
  const auto fix = [&](const std::string& option) {
    return "leave out " + option + (several ? "" : ", or --virtual");
  };
  if (o.hold) refuse("--hold", why, fix("--hold"));
  if (asks_for_page(o.overrides)) refuse("--web", why, fix("--web"));
}

}  // namespace softfeb::experiment
