// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/error.hpp"
#include "config/lab_config.hpp"
#include "config/run_config.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// lib/config turns YAML into plain structs (run_config.hpp, lab_config.hpp) and back. It uses the option
/// types of the libraries below it, such as congestion, detector, fabric and engine. Start with load.cpp,
/// which runs the stages: document.hpp (text, bases, overrides), read_*.cpp (sections to draft.hpp),
/// resolve*.cpp and changes.cpp (draft to configuration), and checks.hpp. emit*.cpp convert a configuration
/// back to YAML.
namespace softfeb::config {

/// Loads the configuration of `softfeb run` from the YAML file at `path` and applies `overrides`. An override
/// is "KEY=VALUE", where KEY is a dotted path such as boards.0.qps.0.traffic.rate or boards.feb0.ttl, and
/// VALUE is YAML. Later overrides win. `now_unix_ns` is the wall clock time in nanoseconds since 1970, by
/// default the system's; `start_at` must be later than this time. Throws ConfigError with every problem
/// found.
RunConfig load_run(const std::string& path, const std::vector<std::string>& overrides = {},
                   std::optional<std::int64_t> now_unix_ns = std::nullopt);

/// Like load_run(), but reads the configuration from text. `file` is its name in messages.
RunConfig load_run_text(const std::string& text, const std::string& file,
                        const std::vector<std::string>& overrides = {},
                        std::optional<std::int64_t> now_unix_ns = std::nullopt);

/// Like load_run() and load_run_text(), for the configuration of `softfeb lab`.
LabConfig load_lab(const std::string& path, const std::vector<std::string>& overrides = {},
                   std::optional<std::int64_t> now_unix_ns = std::nullopt);
LabConfig load_lab_text(const std::string& text, const std::string& file,
                        const std::vector<std::string>& overrides = {},
                        std::optional<std::int64_t> now_unix_ns = std::nullopt);

/// Like load_lab(), for the configuration of `softfeb switch-test`, which has no boards and no receivers. The
/// stations of the network are the rig ports, in the order of RunConfig::switch_test->ports; with real ports,
/// there is no network.
LabConfig load_switch_test(const std::string& path, const std::vector<std::string>& overrides = {});
LabConfig load_switch_test_text(const std::string& text, const std::string& file,
                                const std::vector<std::string>& overrides = {});

/// True if the file is a configuration of `softfeb lab`, which means that it has a section `network`. Throws
/// ConfigError.
bool is_lab(const std::string& path);

/// Return the keys that the loader looks up while it reads `text`, with list indices as []:
/// boards[].qps[].pmtu. Keys of sections that the text does not contain are not returned. The test that keeps
/// conf/reference.yaml complete uses these functions.
std::set<std::string> known_keys(const std::string& text, const std::string& file);
std::set<std::string> known_lab_keys(const std::string& text, const std::string& file);
std::set<std::string> known_switch_test_keys(const std::string& text, const std::string& file);

/// Returns the known keys of `text` and the words that each key accepts, for shell completion. A key that
/// accepts any other values has no words. The sections of `text` determine whether it is read as a
/// configuration of `softfeb run`, `softfeb lab` or `softfeb switch-test`.
std::map<std::string, std::vector<std::string>> words_of_keys(const std::string& text,
                                                              const std::string& file);

/// Returns the resolved configuration, in the form of a configuration file. Loading the output of to_yaml()
/// gives the same configuration.
nlohmann::ordered_json to_json(const RunConfig& config);
std::string to_yaml(const RunConfig& config);
nlohmann::ordered_json to_json(const LabConfig& config);
std::string to_yaml(const LabConfig& config);

}  // namespace softfeb::config
