// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"

#include "config/draft.hpp"
#include "config/override.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

namespace softfeb::config {
namespace {

constexpr std::size_t kMaxFile = 16U << 20;

void throw_if_any(Reading& reading) {
  if (reading.problems.empty()) return;
  const auto before = [](const Problem& a, const Problem& b) { return a.where.line < b.where.line; };
  std::stable_sort(reading.problems.begin(), reading.problems.end(), before);
  throw ConfigError(std::move(reading.problems));
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  // A directory opens, but cannot be read.
  if (!in || in.peek() == std::ifstream::traits_type::eof()) {
    throw ConfigError({{{path, 0, {}},
                        "cannot be read, or is empty",
                        "name a readable configuration file; conf/ has examples"}});
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::int64_t system_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

RunConfig load_run(const std::string& path, const std::vector<std::string>& overrides,
                   std::optional<std::int64_t> now_unix_ns) {
  return load_run_text(read_file(path), path, overrides, now_unix_ns);
}

RunConfig load_run_text(const std::string& text, const std::string& file,
                        const std::vector<std::string>& overrides, std::optional<std::int64_t> now_unix_ns) {
  if (text.size() > kMaxFile) {
    throw ConfigError({{{file, 0, {}}, "is larger than 16 MiB", "use `count` for what repeats"}});
  }
  Node document = parse_yaml(text, file);
  for (const std::string& assignment : overrides) apply_override(document, assignment);
  Reading reading;
  // Three stages, each only when the one before found nothing: consequences of an error are not reported as
  // further ones.
  const Draft draft = read_document(reading, document);
  throw_if_any(reading);
  RunConfig config = resolve(reading, draft);
  config.file = file;
  throw_if_any(reading);
  check(reading, config, now_unix_ns.value_or(system_now()));
  throw_if_any(reading);
  return config;
}

std::set<std::string> known_keys(const std::string& text, const std::string& file) {
  Reading reading;
  const Node document = parse_yaml(text, file);
  read_document(reading, document);
  return reading.known;
}

Where RunConfig::place(const Where& section, const std::string& name) const {
  const std::string key = section.key.empty() ? name : section.key + '.' + name;
  const auto found = places.find(key);
  if (found != places.end()) return found->second;
  return {section.file, section.line, key};
}

}  // namespace softfeb::config
