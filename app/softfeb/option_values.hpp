// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "describe/command_line_json.hpp"

#include <vector>

namespace softfeb::app {

/// Returns the words that the options of softfeb accept, from the tables of the libraries that validate them.
std::vector<describe::OptionValues> option_values();

/// Adds the hidden option --describe-configuration FILE, which prints the keys of a configuration with the
/// words that each key accepts, as a JSON object.
void add_describe_configuration(CLI::App& top);

}  // namespace softfeb::app
