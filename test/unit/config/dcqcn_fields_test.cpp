// SPDX-License-Identifier: BSD-3-Clause
#include "config/congestion.hpp"
#include "documents.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

using dcqcn::FieldInfo;
using dcqcn::FirmwareParameters;
using dcqcn::PaperParameters;
using dcqcn::Unit;

std::string text_of(const FieldInfo& field, std::uint64_t value) {
  const auto json = emit_value(field, value);
  return json.is_string() ? json.get<std::string>() : json.dump();
}

/// Returns a value that differs from the default and that the field's notation can express.
std::uint64_t another(const FieldInfo& field, std::uint64_t default_value) {
  if (field.highest == 1) return 1 - default_value;
  return default_value == 1000 ? 2000 : std::min<std::uint64_t>(field.highest - 1, 1000);
}

template <class Parameters>
const Parameters& parameters_of(const CongestionConfig& d) {
  if constexpr (std::is_same_v<Parameters, FirmwareParameters>) return d.firmware.parameters;
  if constexpr (std::is_same_v<Parameters, PaperParameters>) return d.paper.parameters;
}

/// Gives every field a value other than its default, and checks that the values survive conversion to text
/// and back.
template <class Parameters>
void check_round_trips(const std::string& algorithm) {
  Parameters expected;
  std::string section = "{algorithm: " + algorithm + ", line_rate: 1kB/s";
  for (const auto& field : dcqcn::fields_of<Parameters>()) {
    const std::uint64_t value = another(field, field.get(expected));
    field.set(expected, value);
    if (field.name != "line_rate") section += ", " + std::string(field.name) + ": " + text_of(field, value);
  }
  const RunConfig c = load(kBase, {"boards.0.dcqcn=" + section + "}"});
  CHECK(parameters_of<Parameters>(c.boards[0].congestion) == expected);
  const RunConfig again = load(to_yaml(c));
  CHECK(parameters_of<Parameters>(again.boards[0].congestion) == expected);

  // Set the fields one after another, in the JSON notation of the live page.
  CongestionConfig d = load(kBase, {"boards.0.dcqcn=" + algorithm}).boards[0].congestion;
  for (const auto& field : dcqcn::fields_of<Parameters>()) {
    INFO(field.name);
    const std::uint64_t value = field.get(expected);
    d = change_congestion(d, {{std::string(field.name), text_of(field, value)}});
    CHECK(field.get(parameters_of<Parameters>(d)) == value);
    CHECK(changeable(d)[std::string(field.name)] == emit_value(field, value));
    CHECK(describe_congestion_parameters()[algorithm].contains(std::string(field.name)));
  }
  CHECK(changeable(d).size() == dcqcn::fields_of<Parameters>().size());
  CHECK(parameters_of<Parameters>(d) == expected);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string default_text(const FieldInfo& field, std::uint64_t value) {
  if (field.optional && value == 0) return "none";
  return text_of(field, value) + (field.unit == Unit::kClocks ? " clocks" : "");
}

/// Returns the values that a key accepts, in the notation of the documentation.
std::string values_of(const FieldInfo& field) {
  switch (field.unit) {
    case Unit::kCount:
      return "0 to " + std::to_string(field.highest);
    case Unit::kSwitch:
      return "true, false";
    case Unit::kClocks:
      return "clocks, time";
    case Unit::kRate:
      return "rate";
    case Unit::kTime:
      return "time";
    case Unit::kSize:
      return "size";
    case Unit::kWord:
      return "word";
    case Unit::kReal:
      break;
  }
  return "number";
}

std::string firmware_table() {
  std::string table = "| key | register | value | default | meaning |\n|---|---|---|---|---|\n";
  for (const auto& field : dcqcn::firmware_fields()) {
    table += "| `" + std::string(field.name) + "` | " + field.bits.name + " | " + values_of(field) + " | " +
             default_text(field, field.get({})) + " | " + std::string(field.text) + " |\n";
  }
  return table;
}

constexpr PaperParameters kConnectx = dcqcn::connectx_parameters(PaperParameters{}.line_rate);
constexpr PaperParameters kNs3 = dcqcn::ns3_parameters();

std::string paper_table() {
  std::string table =
      "| key | NIC's name | value | `paper`, `swcc` | `connectx` | `ns3` | meaning "
      "|\n|---|---|---|---|---|---|---|\n";
  // The table has a single column for `paper` and `swcc`, so the parameters of the two must be equal.
  REQUIRE(dcqcn::swcc_parameters(PaperParameters{}.line_rate) == PaperParameters{});
  for (const auto& field : dcqcn::paper_fields()) {
    table += "| `" + std::string(field.name) + "` | " +
             (field.alias.empty() ? "–" : std::string(field.alias)) + " | " + values_of(field) + " | " +
             default_text(field, field.get({})) + " | " + default_text(field, field.get(kConnectx)) + " | " +
             default_text(field, field.get(kNs3)) + " | " + std::string(field.text) + " |\n";
  }
  return table;
}

/// Finds the table in `document` whose heading line equals that of `expected`, and checks that the two tables
/// are equal.
void check_table(const std::string& document, const std::string& expected) {
  const std::size_t at = document.find(expected.substr(0, expected.find('\n')));
  REQUIRE(at != std::string::npos);
  CHECK(document.substr(at, document.find("\n\n", at) + 1 - at) == expected);
}

/// Returns the comment on the first line of `section` that begins with `key`; empty if this line has no
/// comment.
std::string comment_of(const std::string& section, std::string_view key) {
  std::istringstream lines(section);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line.compare(begin, key.size() + 1, std::string(key) + ':') != 0)
      continue;
    const std::size_t hash = line.find('#');
    return hash == std::string::npos ? "" : line.substr(hash);
  }
  return "";
}

/// Returns the words after `label` in a comment, up to the next semicolon.
std::string behind(const std::string& comment, const std::string& label) {
  const std::size_t at = comment.rfind(label);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + label.size();
  return comment.substr(begin, comment.find(';', begin) - begin);
}

void check_default(const FieldInfo& field, std::string text, std::uint64_t expected) {
  INFO(text);
  if (text == "none") {
    CHECK((field.optional && expected == 0));
    return;
  }
  if (text.ends_with(" clocks")) text.resize(text.size() - 7);
  const auto value = parse_value(field, text);
  REQUIRE(value.value);
  CHECK(*value.value == expected);
}

/// Returns conf/reference.yaml from the first occurrence of `begin` on.
std::string reference_from(const std::string& begin) {
  const std::string text = read_file(SOFTFEB_CONF_DIR "/reference.yaml");
  const std::size_t at = text.find(begin);
  REQUIRE(at != std::string::npos);
  return text.substr(at);
}

}  // namespace

TEST_CASE("dcqcn fields: each passes through YAML and the live page's JSON") {
  check_round_trips<FirmwareParameters>("firmware");
  check_round_trips<PaperParameters>("paper");
}

TEST_CASE("dcqcn fields: the vendor's names are accepted") {
  for (const auto& field : dcqcn::paper_fields()) {
    if (field.alias.empty()) continue;
    INFO(field.alias);
    const std::uint64_t value = another(field, field.get(PaperParameters{}));
    const CongestionConfig d = change_congestion(load(kBase, {"boards.0.dcqcn=paper"}).boards[0].congestion,
                                                 {{std::string(field.alias), text_of(field, value)}});
    CHECK(field.get(d.paper.parameters) == value);
  }
}

TEST_CASE("dcqcn fields: a value beyond the highest is refused") {
  for (const auto& field : dcqcn::firmware_fields()) {
    if (field.unit == Unit::kSwitch) continue;
    INFO(field.name);
    CHECK(parse_value(field, text_of(field, field.highest)).value == field.highest);
    CHECK_FALSE(parse_value(field, text_of(field, field.highest + 1)).value);
  }
}

TEST_CASE("dcqcn fields: doc/dcqcn.md has the tables of the fields") {
  const std::string document = read_file(SOFTFEB_DOC_DIR "/dcqcn.md");
  check_table(document, firmware_table());
  check_table(document, paper_table());
}

TEST_CASE("dcqcn fields: conf/reference.yaml states the defaults") {
  const std::string firmware = reference_from("    dcqcn:\n      algorithm: firmware");
  for (const auto& field : dcqcn::firmware_fields()) {
    INFO(field.name);
    check_default(field, behind(comment_of(firmware, field.name), "Default: "), field.get({}));
  }
  const std::string paper = reference_from("        dcqcn:                 # replaces the board's");
  for (const auto& field : dcqcn::paper_fields()) {
    INFO(field.name);
    const std::string comment = comment_of(paper, field.name);
    const std::string ours = behind(comment, "Default: ");
    check_default(field, ours, field.get({}));
    for (const auto& [label, preset] : {std::pair{"; connectx ", &kConnectx}, std::pair{"; ns3 ", &kNs3}}) {
      const std::string theirs = behind(comment, label);
      check_default(field, theirs.empty() ? ours : theirs, field.get(*preset));
    }
  }
}
