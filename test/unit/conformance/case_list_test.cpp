// SPDX-License-Identifier: BSD-3-Clause
// Compares the catalogue with the list of cases of the specification (test/vectors/conformance/*.csv).
#include "conformance/catalogue.hpp"
#include "vector_files.hpp"

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

using Row = std::map<std::string, std::string>;

/// Reads a field of a CSV file (RFC 4180) and the separator after it. Returns false at the end of a line.
bool read_csv_field(std::istream& in, std::string& out) {
  out.clear();
  bool quoted = false;
  for (int c = in.get(); c != EOF; c = in.get()) {
    if (c == '"') {
      if (quoted && in.peek() == '"') {
        out += static_cast<char>(in.get());
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      return true;
    } else if (c == '\n' && !quoted) {
      return false;
    } else if (c != '\r') {
      out += static_cast<char>(c);
    }
  }
  return false;
}

std::vector<std::string> read_csv_line(std::istream& in) {
  std::vector<std::string> fields(1);
  while (read_csv_field(in, fields.back())) fields.emplace_back();
  return fields;
}

std::vector<Row> read_case_list(const std::filesystem::path& path) {
  std::ifstream in(path);
  const std::vector<std::string> names = read_csv_line(in);
  std::vector<Row> rows;
  while (in.peek() != EOF) {
    const std::vector<std::string> fields = read_csv_line(in);
    INFO(path.string() << ", row " << rows.size() + 2);
    REQUIRE(fields.size() == names.size());
    Row& row = rows.emplace_back();
    for (std::size_t k = 0; k < names.size(); ++k) row[names[k]] = fields[k];
  }
  return rows;
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> out;
  for (std::string word; in >> word;) out.insert(word);
  return out;
}

void compare(const Case& c, const Row& row) {
  CHECK(c.title == row.at("title"));
  CHECK(c.section == row.at("iba"));
  CHECK(c.service == row.at("service"));
  CHECK(c.opcodes == row.at("opcodes"));
  CHECK(std::string(name_of(c.severity)) == row.at("severity"));
  CHECK(std::string(name_of(c.level)) == row.at("level"));
  // The catalogue may list more needs than the specification, but not fewer. "wire" is not a need in the
  // catalogue.
  const std::set<std::string> needs = words_of(text_of(c.needs));
  for (const std::string& need : words_of(row.at("needs"))) CHECK((need == "wire" || needs.count(need) != 0));
}

}  // namespace

TEST_CASE("the catalogue has exactly the cases of the specification", "[cases]") {
  const Catalogue catalogue;
  for (const auto& path : test::vector_files("conformance", ".csv")) {
    const std::vector<Row> rows = read_case_list(path);
    if (test::vectors_are_ours()) CHECK(rows.size() == 255);
    CHECK(catalogue.size() == rows.size());
    std::size_t k = 0;
    for (const CaseGroup& group : catalogue.groups()) {
      for (const Case& c : group.cases) {
        INFO(c.id);
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.at("id") == c.id; });
        if (row == rows.end()) {
          FAIL_CHECK("the case is not in " << path.string());
        } else {
          compare(c, *row);
        }
        ++k;
      }
    }
    for (const Row& row : rows) {
      INFO(row.at("id"));
      CHECK(catalogue.find(row.at("id")) != nullptr);
    }
    CHECK(k == catalogue.size());
  }
}

TEST_CASE("every case does something, and says what in words", "[cases]") {
  const Catalogue catalogue;
  std::set<std::string> ids;
  for (const CaseGroup& group : catalogue.groups()) {
    CHECK_FALSE(group.title.empty());
    CHECK(catalogue_files()[static_cast<std::size_t>(&group - catalogue.groups().data())].name ==
          group.name + ".yaml");
    for (const Case& c : group.cases) {
      INFO(c.id);
      CHECK(ids.insert(c.id).second);
      CHECK_FALSE(c.stimulus.empty());
      CHECK_FALSE(c.expected.empty());
      CHECK((c.service == "RC" || c.service == "UC"));
      const int ways =
          (c.parts.empty() ? 0 : 1) + (c.traffic.empty() ? 0 : 1) + (c.not_available.empty() ? 0 : 1);
      CHECK(ways == 1);
      for (const Part& part : c.parts) CHECK_FALSE(part.steps.empty());
    }
  }
}
