// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"

#include "config/checks.hpp"
#include "config/document.hpp"
#include "config/draft.hpp"

#include <algorithm>
#include <chrono>

namespace softfeb::config {
namespace {

void throw_if_any(Reading& reading) {
  if (reading.problems.empty()) return;
  const auto before = [](const Problem& a, const Problem& b) { return a.where.line < b.where.line; };
  std::stable_sort(reading.problems.begin(), reading.problems.end(), before);
  throw ConfigError(std::move(reading.problems));
}

std::int64_t system_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

Node document_of(const std::string& text, const std::string& file,
                 const std::vector<std::string>& overrides) {
  Node document = parse_based(text, file);
  for (const std::string& assignment : overrides) apply_override(document, assignment);
  return document;
}

/// Carries out the first of three stages: read, resolve, check. Each stage runs only if the previous stage
/// found no problems. Otherwise it would report errors that merely follow from the previous problems.
Draft read_draft(Reading& reading, const Node& document, Form form) {
  Draft draft = read_document(reading, document, form);
  throw_if_any(reading);
  return draft;
}

Form form_of(const Node& document) {
  if (document.find("switch_test") != nullptr) return Form::kSwitchTest;
  return document.find("network") != nullptr ? Form::kLab : Form::kRun;
}

std::set<std::string> keys_of(const std::string& text, const std::string& file, Form form) {
  Reading reading;
  const Node document = parse_yaml(text, file);
  read_document(reading, document, form);
  return reading.known;
}

}  // namespace

RunConfig load_run(const std::string& path, const std::vector<std::string>& overrides,
                   std::optional<std::int64_t> now_unix_ns) {
  return load_run_text(read_text(path), path, overrides, now_unix_ns);
}

LabConfig load_lab(const std::string& path, const std::vector<std::string>& overrides,
                   std::optional<std::int64_t> now_unix_ns) {
  return load_lab_text(read_text(path), path, overrides, now_unix_ns);
}

bool is_lab(const std::string& path) {
  return document_of(read_text(path), path, {}).find("network") != nullptr;
}

RunConfig load_run_text(const std::string& text, const std::string& file,
                        const std::vector<std::string>& overrides, std::optional<std::int64_t> now_unix_ns) {
  Reading reading;
  const Node document = document_of(text, file, overrides);
  const Draft draft = read_draft(reading, document, Form::kRun);
  std::vector<LabRing> none;
  RunConfig config = resolve(reading, draft, none);
  config.file = file;
  throw_if_any(reading);
  resolve_arrivals(reading, config);
  complete_congestion(reading, config);
  throw_if_any(reading);
  resolve_changes(reading, draft, config);
  throw_if_any(reading);
  check(reading, config, now_unix_ns.value_or(system_now()));
  throw_if_any(reading);
  return config;
}

LabConfig load_lab_text(const std::string& text, const std::string& file,
                        const std::vector<std::string>& overrides, std::optional<std::int64_t> now_unix_ns) {
  return load_lab_document(document_of(text, file, overrides), file, now_unix_ns);
}

LabConfig load_lab_document(const Node& document, const std::string& file,
                            std::optional<std::int64_t> now_unix_ns) {
  Reading reading;
  const Draft draft = read_draft(reading, document, Form::kLab);
  std::vector<LabRing> rings;
  RunConfig run = resolve(reading, draft, rings);
  run.file = file;
  throw_if_any(reading);
  LabConfig config = resolve_lab(reading, *draft.lab, draft, std::move(run), std::move(rings));
  throw_if_any(reading);
  resolve_arrivals(reading, config.run);
  complete_congestion(reading, config.run);
  throw_if_any(reading);
  resolve_changes(reading, draft, config.run);
  throw_if_any(reading);
  check(reading, config.run, now_unix_ns.value_or(system_now()));
  check_network(reading, config, *draft.lab);
  throw_if_any(reading);
  resolve_link_rules(reading, *draft.lab, config);
  throw_if_any(reading);
  return config;
}

LabConfig load_switch_test(const std::string& path, const std::vector<std::string>& overrides) {
  return load_switch_test_text(read_text(path), path, overrides);
}

LabConfig load_switch_test_text(const std::string& text, const std::string& file,
                                const std::vector<std::string>& overrides) {
  Reading reading;
  const Draft draft = read_draft(reading, document_of(text, file, overrides), Form::kSwitchTest);
  std::vector<LabRing> none;
  RunConfig run = resolve(reading, draft, none);
  run.file = file;
  throw_if_any(reading);
  LabConfig config = resolve_lab(reading, *draft.lab, draft, std::move(run), {});
  throw_if_any(reading);
  check(reading, config.run, system_now());
  check_network(reading, config, *draft.lab);
  throw_if_any(reading);
  resolve_link_rules(reading, *draft.lab, config);
  throw_if_any(reading);
  return config;
}

std::set<std::string> known_keys(const std::string& text, const std::string& file) {
  return keys_of(text, file, Form::kRun);
}

std::set<std::string> known_lab_keys(const std::string& text, const std::string& file) {
  return keys_of(text, file, Form::kLab);
}

std::set<std::string> known_switch_test_keys(const std::string& text, const std::string& file) {
  return keys_of(text, file, Form::kSwitchTest);
}

std::map<std::string, std::vector<std::string>> words_of_keys(const std::string& text,
                                                              const std::string& file) {
  Reading reading;
  reading.words.emplace();
  const Node document = parse_yaml(text, file);
  read_document(reading, document, form_of(document));
  for (const std::string& key : reading.known) reading.words->try_emplace(key);
  return std::move(*reading.words);
}

}  // namespace softfeb::config
