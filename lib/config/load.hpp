// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/error.hpp"
#include "config/lab_config.hpp"
#include "config/run_config.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace softfeb::config {

/// Reads the configuration of `softfeb run` from the YAML file at `path` and applies `overrides`
/// ("KEY=VALUE", KEY a dotted path such as boards.0.qps.0.traffic.rate or boards.feb0.ttl; VALUE is YAML;
/// later ones win). Throws ConfigError with every problem found. `now_unix_ns`: wall clock that `start_at`
/// must lie after; none: the system's.
RunConfig load_run(const std::string& path, const std::vector<std::string>& overrides = {},
                   std::optional<std::int64_t> now_unix_ns = std::nullopt);

/// The same from text; `file` is its name in messages.
RunConfig load_run_text(const std::string& text, const std::string& file,
                        const std::vector<std::string>& overrides = {},
                        std::optional<std::int64_t> now_unix_ns = std::nullopt);

/// The configuration of `softfeb lab`, in the same way.
LabConfig load_lab(const std::string& path, const std::vector<std::string>& overrides = {},
                   std::optional<std::int64_t> now_unix_ns = std::nullopt);
LabConfig load_lab_text(const std::string& text, const std::string& file,
                        const std::vector<std::string>& overrides = {},
                        std::optional<std::int64_t> now_unix_ns = std::nullopt);

/// Every key that was asked for while reading `text`, list indices as []: boards[].qps[].pmtu. Keys of
/// sections that the text does not have are missing. For the test that keeps conf/reference.yaml complete.
std::set<std::string> known_keys(const std::string& text, const std::string& file);
std::set<std::string> known_lab_keys(const std::string& text, const std::string& file);

/// The configuration as resolved, in the form of a configuration file: reading to_yaml() again gives the same
/// configuration.
nlohmann::ordered_json to_json(const RunConfig& config);
std::string to_yaml(const RunConfig& config);
nlohmann::ordered_json to_json(const LabConfig& config);
std::string to_yaml(const LabConfig& config);

}  // namespace softfeb::config
