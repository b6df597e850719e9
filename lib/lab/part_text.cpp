// SPDX-License-Identifier: BSD-3-Clause
#include "config/units.hpp"
#include "lab/part_plan.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace softfeb::lab {

namespace {

/// If the exchange takes more than this share of the run time, parts gain little.
constexpr double kMuch = 0.3;
/// If the speed-up is smaller than this, dividing the network into parts is not worthwhile.
constexpr double kLittle = 1.2;
/// If a part has more switches than this, only the first and the last one are listed.
constexpr std::size_t kShown = 4;

std::string switch_names(const std::vector<std::uint32_t>& switches, const config::LabConfig& lab) {
  const auto name = [&](std::size_t i) { return lab.network.switches[switches[i]].name; };
  if (switches.size() > kShown)
    return fmt::format("{} … {} ({} switches)", name(0), name(switches.size() - 1), switches.size());
  std::string text;
  for (std::size_t i = 0; i < switches.size(); ++i) text += (i == 0 ? "" : ", ") + name(i);
  return text;
}

/// Returns the share of the work that the busiest process has.
double busiest(const PartPlan& plan, std::uint32_t processes) {
  std::vector<double> load(processes, 0);
  for (std::uint32_t p = 0; p < plan.load.size(); ++p)
    load[plan.parting.process_of(p, processes)] += plan.load[p];
  return *std::max_element(load.begin(), load.end());
}

}  // namespace

std::string describe(const PartPlan& plan, const config::LabConfig& lab, std::uint32_t processes,
                     double exchange) {
  std::string text =
      fmt::format("{} parts, {} links cut, window {}\n", plan.parting.parts, plan.cut_links,
                  plan.cut_links == 0 ? "unlimited" : config::format_time(plan.parting.window()));
  for (std::size_t p = 0; p < plan.switches.size(); ++p)
    text += fmt::format("  part {}: {:>3.0f} % of the work: {}\n", p, plan.load[p] * 100,
                        switch_names(plan.switches[p], lab));
  if (processes == 1) return text + "  one process runs all parts, which is not faster than one part\n";
  const double share = plan.exchange_share(exchange);
  const double gain = (1 - share) / busiest(plan, processes);
  text +=
      fmt::format("  expected share of the exchange between parts: {:.0f} % (an exchange takes {:.1f} us)\n",
                  share * 100, exchange * 1e6);
  text += fmt::format(
      "  expected: {:.1f} times as fast as one process, if each process has a CPU of its own\n", gain);
  if (share > kMuch || gain < kLittle)
    text +=
        "  parts gain little here; to use more cores, run several points of a study at once: softfeb lab "
        "sweep\n";
  return text;
}

}  // namespace softfeb::lab
