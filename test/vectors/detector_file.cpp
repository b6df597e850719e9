// SPDX-License-Identifier: BSD-3-Clause
#include "detector_file.hpp"

#include "support/vector_files.hpp"

#include <fstream>

namespace softfeb::test {

namespace {

std::string shortened(const nlohmann::json& value) {
  constexpr std::size_t kMost = 200;
  const std::string text = value.dump();
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

}  // namespace

std::vector<DetectorFile> detector_files(std::string_view kind) {
  std::vector<DetectorFile> out;
  for (const auto& path : vector_files("detector", ".json", Depth::kRecursive)) {
    std::ifstream in(path);
    auto document = nlohmann::json::parse(in);
    if (document.at("kind") == kind) out.push_back({path.filename().string(), std::move(document)});
  }
  return out;
}

std::string first_difference(const nlohmann::json& is, const nlohmann::json& should) {
  if (is.type() == should.type() && is.is_object()) {
    for (const auto& [name, value] : should.items()) {
      if (!is.contains(name)) return name + " is not there, should be " + shortened(value);
      const std::string inside = first_difference(is.at(name), value);
      if (!inside.empty()) return name + ": " + inside;
    }
    return {};
  }
  if (is.type() == should.type() && is.is_array() && is.size() == should.size()) {
    for (std::size_t i = 0; i < is.size(); ++i) {
      const std::string inside = first_difference(is[i], should[i]);
      if (!inside.empty()) return "[" + std::to_string(i) + "]: " + inside;
    }
    return {};
  }
  return is == should ? std::string() : "is " + shortened(is) + ", should be " + shortened(should);
}

std::string hex_bitmap(std::span<const std::uint64_t> words) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t w = words.size(); w-- > 0;) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      const char digit = kDigits[(words[w] >> shift) & 0xf];
      if (digit != '0' || !out.empty()) out.push_back(digit);
    }
  }
  return "0x" + (out.empty() ? "0" : out);
}

}  // namespace softfeb::test
