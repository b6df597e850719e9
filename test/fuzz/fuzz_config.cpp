// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: loads arbitrary text as a configuration of `softfeb run`, `softfeb lab` or `softfeb
// switch-test`. The text must be refused with an error, or its resolved form must load again and stay the
// same. Lines that begin with "#set " are settings, as on the command line. The files in conf/ are good
// seeds.
#include "config/error.hpp"
#include "config/load.hpp"
#include "input.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace softfeb;
using fuzz::require;

namespace {

constexpr const char* kFile = "fuzz.yaml";
/// Wall-clock time that all runs use, so that the result depends only on the input.
constexpr std::int64_t kNow = 1'767'225'600'000'000'000;

std::vector<std::string> settings_in(std::string_view text) {
  constexpr std::string_view kMark = "#set ";
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(kMark)) found.emplace_back(line.substr(kMark.size()));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return found;
}

/// Returns true if the text may name files. Such input is skipped, because it could load a plug-in, or make
/// the result depend on the files of this machine.
bool names_files(std::string_view text) {
  for (const std::string_view word : {"/", "file", "base", "out"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

std::string run(const std::string& text, const std::vector<std::string>& set) {
  return config::to_yaml(config::load_run_text(text, kFile, set, kNow));
}
std::string lab(const std::string& text, const std::vector<std::string>& set) {
  return config::to_yaml(config::load_lab_text(text, kFile, set, kNow));
}
std::string switch_test(const std::string& text, const std::vector<std::string>& set) {
  return config::to_yaml(config::load_switch_test_text(text, kFile, set));
}

using Load = std::string (*)(const std::string&, const std::vector<std::string>&);

Load loader_of(std::string_view text) {
  if (text.find("switch_test:") != std::string_view::npos) return switch_test;
  return text.find("network:") != std::string_view::npos ? lab : run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Load load = loader_of(text);
  std::string resolved;
  try {
    resolved = load(text, settings_in(text));
  } catch (const config::ConfigError& error) {
    require(!error.problems().empty());
    for (const config::Problem& problem : error.problems()) require(!problem.message.empty());
    return 0;
  }
  if (!names_files(text)) require(load(resolved, {}) == resolved);
  return 0;
}
