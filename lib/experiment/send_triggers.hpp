// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// The command line of `softfeb trigger`.
struct TriggerOptions {
  std::string config;  ///< file with a configuration of `softfeb run` or `softfeb lab`
  std::vector<std::string> overrides;
  /// Name of an element of `triggers`. If empty, this is the only element with `mode: message`.
  std::optional<std::string> trigger;
  std::optional<std::string> json;  ///< file for the result; - for standard output
  bool quiet = false;
};

/// Sends the triggers of a detector to its boards as UDP messages, until `run.duration` has passed, no
/// trigger is left, or a signal arrives. Returns the exit status. Throws ConfigError, SocketError.
int send_triggers(const TriggerOptions& options);

}  // namespace softfeb::experiment
