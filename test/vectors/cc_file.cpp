// SPDX-License-Identifier: BSD-3-Clause
#include "cc_file.hpp"

#include "support/vector_files.hpp"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace softfeb::test {

namespace {

bool within(double is, double should, const nlohmann::json* tolerance) {
  if (is == should) return true;
  if (tolerance == nullptr) return false;
  const double gap = std::abs(is - should);
  return gap <= tolerance->at(0).get<double>() * std::abs(should) || gap <= tolerance->at(1).get<double>();
}

CcKind kind_of(const std::string& name) {
  if (name.starts_with("homa_")) return CcKind::kHoma;
  return name.starts_with("wire_") ? CcKind::kWire : CcKind::kOthers;
}

}  // namespace

CcFile read_cc_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  CcFile file{nlohmann::json::parse(in)};
  if (file.document.at("format") != 1) throw std::runtime_error("not of format 1");
  file.algorithm();  // throws if the document has no algorithm
  return file;
}

std::vector<std::uint8_t> from_hex(const std::string& hex) {
  if (hex.size() % 2 != 0) throw std::runtime_error("an odd number of hexadecimal digits");
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return out;
}

std::vector<std::filesystem::path> cc_files(CcKind kind) {
  auto files = vector_files("cc", ".json", Depth::kRecursive);
  std::erase_if(files, [kind](const auto& path) { return kind_of(path.filename().string()) != kind; });
  return files;
}

std::optional<std::string> cc_difference(const CcFile& file, const nlohmann::json& event,
                                         const CcValues& shown) {
  const nlohmann::json& tolerances = file.document.at("tolerance");
  for (const auto& [name, value] : event.at("expect").items()) {
    const auto is = shown.find(name);
    if (is == shown.end()) throw std::runtime_error("the replay does not know the value \"" + name + "\"");
    const auto should = value.get<double>();
    const auto tolerance = tolerances.find(name);
    if (within(is->second, should, tolerance == tolerances.end() ? nullptr : &*tolerance)) continue;
    std::ostringstream text;
    text.precision(17);
    text << name << " is " << is->second << ", should be " << should;
    return text.str();
  }
  return std::nullopt;
}

void CcParameters::read(const nlohmann::json& parameters) const {
  for (const auto& [name, value] : parameters.items()) {
    const auto setter = setters_.find(name);
    if (setter == setters_.end()) throw std::runtime_error("unknown parameter \"" + name + "\"");
    setter->second(value);
  }
}

}  // namespace softfeb::test
