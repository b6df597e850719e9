// SPDX-License-Identifier: BSD-3-Clause
// Reads the golden messages (detector/header_*.json) and writes the valid headers again.
#include "detector/event_header.hpp"
#include "detector_file.hpp"
#include "support/vector_files.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;
using namespace softfeb::test;
using nlohmann::json;

namespace {

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return out;
}

/// Returns all fields of a header under the names that the vector files use. EventHeader does not store the
/// constant fields, because the library has already compared them with their constants. For these fields, the
/// constants are returned.
json fields_of(const EventHeader& h) {
  return {{"magic", kEventMagic},
          {"version", kEventVersion},
          {"header_words", kEventHeaderSize / 4},
          {"flags", h.flags},
          {"run", h.run},
          {"board", h.board},
          {"type", static_cast<unsigned>(h.type)},
          {"kind", static_cast<unsigned>(h.kind)},
          {"event", h.event},
          {"seconds", h.time.seconds},
          {"quarter_ns", h.time.quarter_ns},
          {"length", h.length},
          {"offset", h.offset},
          {"total", h.total},
          {"channels", h.channels},
          {"samples", h.samples},
          {"lost", h.lost},
          {"reserved", h.reserved},
          {"payload_crc", h.payload_crc}};
}

void check_case(const json& c) {
  const auto message = bytes_of(c.at("message"));
  EventHeader header;
  const HeaderVerdict verdict = read_event_header(message, header);
  CHECK(to_string(verdict) == c.at("verdict").get<std::string>());
  if (c.at("fields").is_null()) {
    CHECK(verdict <= HeaderVerdict::kHeaderCrc);
    CHECK(header == EventHeader{});
    return;
  }
  CHECK(first_difference(fields_of(header), c.at("fields")) == "");
  std::vector<std::uint8_t> written(kEventHeaderSize);
  write_event_header(header, written.data());
  CHECK(std::equal(written.begin(), written.end(), message.begin()));
}

}  // namespace

TEST_CASE("detector vectors: event headers", "[header]") {
  const auto files = detector_files("header");
  if (vectors_are_ours()) REQUIRE(!files.empty());
  for (const DetectorFile& file : files) {
    for (const json& c : file.document.at("cases")) {
      INFO(file.name << ": " << c.at("name"));
      check_case(c);
    }
  }
}
