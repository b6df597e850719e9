// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/switch_run.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Parts that the page of a switch test and the data sheet share.
namespace softfeb::report {

/// Returns the style sheet of the pages.
std::string_view switch_style();

/// Returns the data sheet as HTML. `heading` is the HTML element of the title, such as "h1".
std::string data_sheet(const SwitchRun& run, const std::string& heading);

/// Returns what was tested and how, as pairs of a name and a text, such as {"software", "4.2.1"}.
std::vector<std::pair<std::string, std::string>> switch_facts(const SwitchRun& run);
/// Returns the name of the switch that the user entered, or "unnamed switch".
std::string switch_name(const SwitchRun& run);
/// Returns the overall result of the run, as a framed word with a sign.
std::string overall_badge(const SwitchRun& run);

/// A measured property that is useful for configuring the switch or a model of it.
struct SwitchSetting {
  std::string name;    ///< such as "Kmin"
  std::string value;   ///< such as "102413 B (100.01 KiB)"; empty if unknown
  std::string remark;  ///< the interval, or why the value is unknown
};
std::vector<SwitchSetting> settings_to_copy(const SwitchRun& run);

}  // namespace softfeb::report
