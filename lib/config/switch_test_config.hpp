// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"
#include "switchtest/expectations.hpp"
#include "switchtest/settings.hpp"

#include <string>
#include <vector>

namespace softfeb::config {

/// Section `switch_test`: the rig of `softfeb switch-test` (its test ports, see switchtest/rig.hpp), and the
/// settings of the measurements.
struct SwitchTestConfig {
  switchtest::RigKind rig = switchtest::RigKind::kVirtual;
  switchtest::Settings settings;
  /// Names of the rig ports. They are ends of links in the network or, for real ports, elements of `ports`.
  /// The roles in `settings` are indices into this list.
  std::vector<std::string> ports;
  std::vector<Where> port_wheres;  ///< indexed like `ports`
  std::string device, software;    ///< name and software of the switch, for the data sheet
  Where where;
};

/// Reads a file of expectations: a map from TEST.FIGURE or TEST.FIGURE[label=value,…] to a word, or to
/// {value, within}, {min} or {max}. Throws ConfigError with every problem found.
std::vector<switchtest::Expectation> load_expectations(const std::string& path);
std::vector<switchtest::Expectation> load_expectations_text(const std::string& text, const std::string& file);

}  // namespace softfeb::config
