// SPDX-License-Identifier: BSD-3-Clause
#include "config/lab_checks.hpp"
#include "config/node.hpp"
#include "documents.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

using namespace softfeb::config;

namespace {

std::string conf_file(const std::string& name) {
  std::ifstream in(SOFTFEB_CONF_DIR "/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string reference() { return conf_file("reference.yaml"); }

/// Collects the keys of `node`, with [] for list indices.
void collect(const Node& node, const std::string& pattern, std::set<std::string>& keys) {
  for (const Node& child : node.children) {
    const bool list = node.kind == Node::Kind::kList;
    const std::string path = list              ? pattern + "[]"
                             : pattern.empty() ? child.name
                                               : pattern + '.' + child.name;
    if (!list) keys.insert(path);
    collect(child, path, keys);
  }
}

}  // namespace

TEST_CASE("conf/reference.yaml has every key") {
  const std::string text = reference();
  std::set<std::string> written;
  collect(parse_yaml(text, "reference.yaml"), "", written);
  const std::set<std::string> known = known_keys(text, "reference.yaml");
  for (const std::string& key : known) {
    INFO(key);
    CHECK(written.count(key) == 1);
  }
  // known_keys() returns a key only if the file contains the key's section. Each of the following keys is in
  // a different section, so the check shows that the file contains all of these sections.
  for (const char* key :
       {"ports[].faults.tx_mark_ce", "ports[].faults.rules[].do.corrupt.icrc", "ports[].capture.snaplen",
        "boards[].qps[].to.rkey", "boards[].qps[].traffic.payload.repeat", "receivers[].cnp.scope"}) {
    INFO(key);
    CHECK(known.count(key) == 1);
  }
}

TEST_CASE("conf/lab/reference.yaml has every key of the lab") {
  const std::string text = conf_file("lab/reference.yaml");
  std::set<std::string> written;
  collect(parse_yaml(text, "reference.yaml"), "", written);
  const std::set<std::string> known = known_lab_keys(text, "reference.yaml");
  std::size_t own = 0;
  for (const std::string& key : known) {
    if (!key.starts_with("lab.") && !key.starts_with("network.")) continue;
    INFO(key);
    CHECK(written.count(key) == 1);
    ++own;
  }
  CHECK(own > 55);
  for (const LabCheckKind& kind : kLabChecks) {
    INFO(kind.name);
    CHECK(written.count("lab.checks." + std::string(kind.name)) == 1);
  }
  // The file must not contain a key that the readers do not know.
  for (const std::string& key : written) {
    if (!key.starts_with("network.") || key.find("_to_queue.") != std::string::npos) continue;
    INFO(key);
    CHECK(known.count(key) == 1);
  }
}

TEST_CASE("the words of keys are those of their readers") {
  const auto words = words_of_keys(reference(), "reference.yaml");
  CHECK(words.at("ports[].flow_control") == std::vector<std::string>{"off", "rx", "tx", "full", "leave"});
  CHECK(words.at("run.quiet") == std::vector<std::string>{"true", "false"});
  CHECK(words.at("run.duration").empty());
  CHECK(words.size() == known_keys(reference(), "reference.yaml").size());
  const auto lab = words_of_keys(conf_file("lab/reference.yaml"), "reference.yaml");
  CHECK(lab.at("network.neighbours") == std::vector<std::string>{"resolve", "static"});
}

/// Checks that the first occurrence of each key has a comment on its line or on the line above.
void check_comments(const std::string& text, std::size_t at_least) {
  std::set<std::string> met;
  std::istringstream lines(text);
  std::string line;
  std::string above;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::size_t begin = line.find_first_not_of(" -");
    const std::size_t colon = line.find(':');
    const bool key = begin != std::string::npos && begin > 0 && line[begin] != '#' &&
                     colon != std::string::npos && line.find_first_of("0123456789") != begin;
    if (key && met.insert(line.substr(begin, colon - begin)).second) {
      INFO("line " << number << ": " << line);
      CHECK((line.find(" # ") != std::string::npos || above.find("# ") != std::string::npos));
    }
    above = line;
  }
  CHECK(met.size() > at_least);
}

TEST_CASE("the references describe every key") {
  // check_comments() requires a comment only at the first occurrence of a key. Keys that boards and receivers
  // share are therefore described in the section of boards, which comes first.
  check_comments(reference(), 80);
  // lab/reference.yaml describes the keys up to the section `run`; reference.yaml describes all others.
  const std::string lab = conf_file("lab/reference.yaml");
  const std::string run = "\nrun:";
  check_comments(lab.substr(0, lab.find(run)), 25);
  const std::size_t network = lab.find("\nnetwork:");
  check_comments(lab.substr(network, lab.find("\n    - {ends:") - network), 30);
}
