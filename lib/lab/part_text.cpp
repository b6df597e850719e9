// SPDX-License-Identifier: BSD-3-Clause
#include "config/units.hpp"
#include "lab/part_plan.hpp"

#include <fmt/format.h>

namespace softfeb::lab {

namespace {

/// Share of the exchange from which parts gain little.
constexpr double kMuch = 0.3;
/// A part with more switches shows only the first and the last one.
constexpr std::size_t kShown = 4;

std::string switch_names(const std::vector<std::uint32_t>& switches, const config::LabConfig& lab) {
  const auto name = [&](std::size_t i) { return lab.network.switches[switches[i]].name; };
  if (switches.size() > kShown)
    return fmt::format("{} … {} ({} switches)", name(0), name(switches.size() - 1), switches.size());
  std::string text;
  for (std::size_t i = 0; i < switches.size(); ++i) text += (i == 0 ? "" : ", ") + name(i);
  return text;
}

}  // namespace

std::string describe(const PartPlan& plan, const config::LabConfig& lab, double exchange) {
  std::string text =
      fmt::format("{} parts, {} links cut, window {}\n", plan.parting.parts, plan.cut_links,
                  plan.cut_links == 0 ? "unlimited" : config::format_time(plan.parting.window));
  for (std::size_t p = 0; p < plan.switches.size(); ++p)
    text += fmt::format("  part {}: {:>3.0f} % of the work: {}\n", p, plan.load[p] * 100,
                        switch_names(plan.switches[p], lab));
  const double share = plan.exchange_share(exchange);
  text +=
      fmt::format("  expected share of the exchange between parts: {:.0f} % (an exchange takes {:.1f} us)\n",
                  share * 100, exchange * 1e6);
  if (share > kMuch)
    text +=
        "  parts gain little here; to use more cores, run several points of a study at once: softfeb lab "
        "sweep\n";
  return text;
}

}  // namespace softfeb::lab
