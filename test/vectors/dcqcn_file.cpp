// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn_file.hpp"

#include "support/vector_files.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace softfeb::test {

namespace {

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::uint64_t number(const std::string& text, int base = 10) {
  std::size_t used = 0;
  const std::uint64_t value = std::stoull(text, &used, base);
  REQUIRE(used == text.size());
  return value;
}

/// Changes `p` and `counter_reset` according to a note of the form "Name=value;Name=value".
void apply(const std::string& note, dcqcn::FirmwareParameters& p, bool& counter_reset) {
  const auto set = [](auto& field) {
    return [&field](std::uint64_t v) {
      field = static_cast<std::remove_reference_t<decltype(field)>>(v);
      REQUIRE(static_cast<std::uint64_t>(field) == v);
    };
  };
  const std::map<std::string, std::function<void(std::uint64_t)>> fields = {
      {"AlphaG", set(p.alpha_g)},
      {"DecGain", set(p.dec_gain)},
      {"TimeStageThreshold", set(p.time_stage_threshold)},
      {"ClampTgtRate", set(p.clamp_tgt_rate)},
      {"DcqcnBypass", set(p.dcqcn_bypass)},
      {"RateDecInterval", set(p.rate_dec_interval)},
      {"AlphaUpdInterval", set(p.alpha_upd_interval)},
      {"RateIncInterval", set(p.rate_inc_interval)},
      {"Rai", set(p.rai)},
      {"Rhai", set(p.rhai)},
      {"Rmin", set(p.rmin)},
      {"CnpCntRst", set(counter_reset)}};
  for (const std::string& assignment : split(note, ';')) {
    const auto parts = split(assignment, '=');
    INFO(assignment);
    REQUIRE(parts.size() == 2);
    REQUIRE(fields.contains(parts[0]));
    fields.at(parts[0])(number(parts[1]));
  }
}

template <typename RowFn>
nlohmann::json read_csv(const std::filesystem::path& path, RowFn&& on_row) {
  std::ifstream in(path);
  std::string line;
  REQUIRE(std::getline(in, line));
  REQUIRE(line.starts_with("# "));
  const auto header = nlohmann::json::parse(line.substr(2));
  while (std::getline(in, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.starts_with("kind,")) continue;
    INFO(line);
    on_row(split(line, ','));
  }
  return header;
}

}  // namespace

DcqcnFile read_dcqcn_file(const std::filesystem::path& path) {
  DcqcnFile file;
  dcqcn::FirmwareParameters parameters;
  bool counter_reset = false;
  const auto header = read_csv(path, [&](const std::vector<std::string>& row) {
    REQUIRE(row.size() >= 2);
    const dcqcn::Edge edge = number(row[1]);
    if (row[0] == "S") {
      REQUIRE(row.size() >= 7);
      const auto small = [&](std::size_t i) { return static_cast<unsigned>(number(row[i])); };
      file.changes.push_back({edge, {number(row[2]), number(row[3]), small(4), small(5), small(6)}});
    } else if (row[0] == "C") {
      REQUIRE(row.size() == 8);
      REQUIRE(row[7].starts_with("width="));
      file.cnps.push_back({edge, static_cast<unsigned>(number(row[7].substr(6)))});
    } else {
      REQUIRE(row[0] == "P");
      REQUIRE(row.size() == 8);
      apply(row[7], parameters, counter_reset);
      file.writes.push_back({edge, parameters, counter_reset});
    }
  });
  file.build.line_rate = header.at("line_rate_Bps");
  file.end = header.at("end_cycle");
  REQUIRE_FALSE(file.changes.empty());
  return file;
}

DcqcnAxisFile read_dcqcn_axis_file(const std::filesystem::path& path) {
  DcqcnAxisFile file;
  read_csv(path, [&](const std::vector<std::string>& row) {
    REQUIRE(row.size() == 5);
    const auto bytes = [&](std::size_t i) { return static_cast<std::uint32_t>(number(row[i])); };
    if (row[0] == "IN") {
      REQUIRE(number(row[1]) == file.frames.size());
      file.frames.push_back({.bytes = bytes(2), .first_in = number(row[3]), .last_in = number(row[4])});
    } else if (row[0] == "OUT") {
      REQUIRE(number(row[1]) < file.frames.size());
      DcqcnFrame& frame = file.frames[number(row[1])];
      REQUIRE(frame.bytes == bytes(2));
      frame.first_out = number(row[3]);
      frame.last_out = number(row[4]);
    } else {
      REQUIRE(row[0] == "ADMIT");
      file.admissions.push_back({bytes(1), number(row[2]), number(row[3], 16), number(row[4], 16)});
    }
  });
  return file;
}

std::vector<std::filesystem::path> dcqcn_files(bool axis) {
  auto files = vector_files("dcqcn", ".csv");
  std::erase_if(files, [axis](const auto& path) { return (path.stem().extension() == ".axis") != axis; });
  return files;
}

}  // namespace softfeb::test
