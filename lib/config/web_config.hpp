// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

/// Address of the live page (doc/telemetry.md), from key `run.web`. It is not part of RunConfig, because it
/// does not affect the run.
struct WebConfig {
  static constexpr std::uint16_t kPort = 8080;

  bool on = false;
  IpAddress address = *IpAddress::parse("127.0.0.1");
  /// If this is empty, the page uses kPort or, if that is taken, the next free port. If it is 0, the page
  /// uses any free port.
  std::optional<std::uint16_t> port;
};

/// Parses off, on, 8081, 127.0.0.1, 127.0.0.1:8081, or [::1]:8081.
Parsed<WebConfig> parse_web(const std::string& text);

/// Reads `run.web` from the configuration at `path` with `overrides` (see load_run()); nullopt if the key is
/// not given. Throws ConfigError.
std::optional<WebConfig> load_web(const std::string& path, const std::vector<std::string>& overrides);
std::optional<WebConfig> load_web_text(const std::string& text, const std::string& file,
                                       const std::vector<std::string>& overrides);

}  // namespace softfeb::config
