// SPDX-License-Identifier: BSD-3-Clause
#include "wire_file.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace softfeb::test {

namespace {

using Kind = WireEvent::Kind;

std::optional<Kind> kind_of(const std::string& word) {
  if (word == "WR") return Kind::kWorkRequest;
  if (word == "TX") return Kind::kTransmit;
  if (word == "RX") return Kind::kReceive;
  if (word == "WC") return Kind::kCompletion;
  if (word == "CTRL") return Kind::kControl;
  if (word == "META_RESP") return Kind::kMetaResponse;
  return std::nullopt;
}

std::vector<std::uint8_t> from_hex(const std::string& hex) {
  if (hex.size() % 2 != 0) throw std::invalid_argument("odd number of hex digits");
  std::vector<std::uint8_t> out(hex.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t used = 0;
    out[i] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * i, 2), &used, 16));
    if (used != 2) throw std::invalid_argument("not a hex digit");
  }
  return out;
}

WireEvent parse_event(Kind kind, std::istringstream& in) {
  WireEvent e;
  e.kind = kind;
  if (!(in >> e.cycle)) throw std::invalid_argument("no cycle");
  if (kind == Kind::kTransmit || kind == Kind::kReceive) {
    std::string hex;
    in >> hex;
    e.bytes = from_hex(hex);
  }
  std::getline(in >> std::ws, e.text);
  if (kind == Kind::kWorkRequest || kind == Kind::kCompletion) e.fields = nlohmann::json::parse(e.text);
  return e;
}

nlohmann::json parse_header(const std::string& line) {
  const auto brace = line.find('{');
  if (line.rfind('#', 0) != 0 || brace == std::string::npos) return nullptr;
  return nlohmann::json::parse(line.substr(brace), nullptr, false);
}

}  // namespace

bool WireFile::has_data_path() const {
  return std::any_of(events.begin(), events.end(),
                     [](const WireEvent& e) { return e.kind == Kind::kWorkRequest; });
}

WireFile read_wire_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path.string() + ": cannot be read");
  WireFile file;
  file.name = path.filename().string();
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (number == 1) file.header = parse_header(line);
    std::istringstream words(line);
    std::string first;
    words >> first;
    const auto kind = kind_of(first);
    // Skip control lines without a time. These lines occur only in metadata files and do not concern a
    // requester.
    if (!kind || (*kind == Kind::kControl && !std::isdigit((words >> std::ws).peek()))) continue;
    try {
      file.events.push_back(parse_event(*kind, words));
      file.events.back().line = number;
    } catch (const std::exception& e) {
      throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " + e.what());
    }
  }
  std::stable_sort(file.events.begin(), file.events.end(),
                   [](const WireEvent& a, const WireEvent& b) { return a.cycle < b.cycle; });
  return file;
}

}  // namespace softfeb::test
