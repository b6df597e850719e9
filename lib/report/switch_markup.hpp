// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/switch_run.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Parts that the page of a switch test and its data sheet have in common.
namespace softfeb::report {

/// The style sheet of the pages.
std::string_view switch_style();

/// The data sheet as HTML. `heading`: the element of its title, such as "h1".
std::string data_sheet(const SwitchRun& run, const std::string& heading);

/// What was tested and how: names and texts, such as {"software", "4.2.1"}.
std::vector<std::pair<std::string, std::string>> switch_facts(const SwitchRun& run);
/// The switch as entered, or "unnamed switch".
std::string switch_name(const SwitchRun& run);
/// The result of the run as a framed word with a sign.
std::string overall_badge(const SwitchRun& run);

/// A setting of the switch, for its configuration or for a model.
struct SwitchSetting {
  std::string name;    ///< such as "Kmin"
  std::string value;   ///< "102413 B (100 KiB)"; empty: not known
  std::string remark;  ///< the interval, or why the value is not known
};
std::vector<SwitchSetting> settings_to_copy(const SwitchRun& run);

}  // namespace softfeb::report
