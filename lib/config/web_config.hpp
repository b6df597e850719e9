// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/parsed.hpp"
#include "config/values.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

/// Where the live page is served (doc/telemetry.md): the key `run.web`. Not in RunConfig, since it is no part
/// of what runs.
struct WebConfig {
  static constexpr std::uint16_t kPort = 8080;

  bool on = false;
  IpAddress address = *IpAddress::parse("127.0.0.1");
  std::optional<std::uint16_t> port;  ///< none: kPort, or the next that is free; 0: any that is free
};

/// off, on, 8081, 127.0.0.1, 127.0.0.1:8081, [::1]:8081
Parsed<WebConfig> parse_web(const std::string& text);

/// The key `run.web` of the configuration at `path` with `overrides`, as load_run() and load_lab() take them;
/// nothing where it is not given. Throws ConfigError.
std::optional<WebConfig> load_web(const std::string& path, const std::vector<std::string>& overrides);
std::optional<WebConfig> load_web_text(const std::string& text, const std::string& file,
                                       const std::vector<std::string>& overrides);

}  // namespace softfeb::config
