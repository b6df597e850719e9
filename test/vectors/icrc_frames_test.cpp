// SPDX-License-Identifier: BSD-3-Clause
// Compares softfeb's iCRCs with those of the golden frames (wire/icrc_*), which come from the firmware, scapy
// and an independent implementation of IBA annex A17.
#include "roce/frame.hpp"
#include "roce/icrc.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
namespace fs = std::filesystem;

namespace {

fs::path wire_directory() {
  const char* set = std::getenv("SOFTFEB_VECTORS");
  return fs::path(set != nullptr ? set : SOFTFEB_VECTORS_DEFAULT) / "wire";
}

bool is_hex(const std::string& s) {
  return s.size() >= 84 && s.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

std::vector<std::uint8_t> from_hex(const std::string& s) {
  std::vector<std::uint8_t> v;
  for (std::size_t i = 0; i + 1 < s.size(); i += 2) {
    v.push_back(static_cast<std::uint8_t>(std::stoul(s.substr(i, 2), nullptr, 16)));
  }
  return v;
}

}  // namespace

TEST_CASE("wire: golden iCRC frames", "[wire][icrc]") {
  if (!fs::exists(wire_directory())) {
    WARN("no wire vectors here: " << wire_directory());
    return;
  }
  std::size_t frames = 0;
  for (const auto& entry : fs::directory_iterator(wire_directory())) {
    if (entry.path().filename().string().rfind("icrc_", 0) != 0) continue;
    std::ifstream in(entry.path());
    std::string title;
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line[0] == '[') title = line;
      if (!is_hex(line)) continue;
      INFO(entry.path().filename() << " " << title);
      const auto frame = from_hex(line);
      const ParsedFrame parsed = parse_frame(ByteSpan(frame));
      REQUIRE(parsed.kind == FrameKind::kUdp);
      CHECK(parsed.dest_port == kRoceUdpPort);
      CHECK(icrc_matches(parsed));
      CHECK(icrc_of(parsed.datagram.sub(0, parsed.datagram.size() - 4)) ==
            load_le32(&frame[frame.size() - 4]));
      ++frames;
    }
  }
  WARN(frames << " golden frames checked");
  const bool any =
      std::any_of(fs::directory_iterator(wire_directory()), fs::directory_iterator(),
                  [](const auto& e) { return e.path().filename().string().rfind("icrc_", 0) == 0; });
  CHECK((frames > 0 || !any));
}
