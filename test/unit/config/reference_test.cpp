// SPDX-License-Identifier: BSD-3-Clause
#include "config/node.hpp"
#include "documents.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

using namespace softfeb::config;

namespace {

std::string reference() {
  std::ifstream in(SOFTFEB_CONF_DIR "/reference.yaml");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The keys of `node`, list indices as [].
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

TEST_CASE("conf/reference.yaml has every key there is") {
  const std::string text = reference();
  std::set<std::string> written;
  collect(parse_yaml(text, "reference.yaml"), "", written);
  const std::set<std::string> known = known_keys(text, "reference.yaml");
  for (const std::string& key : known) {
    INFO(key);
    CHECK(written.count(key) == 1);
  }
  // Keys that are asked for only where their section is there: were these gone, so were the sections.
  for (const char* key : {"ports[].faults.tx_mark_ce", "ports[].capture.snaplen", "boards[].qps[].to.rkey",
                          "boards[].qps[].traffic.payload.repeat", "receivers[].cnp.scope"}) {
    INFO(key);
    CHECK(known.count(key) == 1);
  }
}

TEST_CASE("conf/reference.yaml says of every key what it is") {
  // By its first appearance; boards come before receivers, which share keys with them.
  std::set<std::string> met;
  std::istringstream lines(reference());
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
  CHECK(met.size() > 80);
}
