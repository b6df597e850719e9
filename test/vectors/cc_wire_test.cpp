// SPDX-License-Identifier: BSD-3-Clause
// Tests golden congestion control headers (cc/wire_*.json), alone and in frames. The headers are decoded,
// encoded again, and removed from their frames. The iCRC of a frame must be that of the packet without the
// header.
#include "cc_file.hpp"
#include "roce/congestion_frame.hpp"
#include "support/vector_files.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;
using nlohmann::json;

namespace {

using Bytes = std::vector<std::uint8_t>;

json records_of(const IntBody& body) {
  json out = json::array();
  for (std::size_t i = 0; i < body.count; ++i) {
    const congestion::IntRecord& r = body.records[i];
    out.push_back({{"rate_code", r.rate_code}, {"ns", r.time}, {"tx", r.tx}, {"queue", r.queue}});
  }
  return out;
}

/// Returns the fields under the names that the golden files use; null if the header was rejected.
json fields_of(const std::optional<CongestionHeader>& header) {
  if (!header) return nullptr;
  json out = {{"flags", header->flags},
              {"profile", header->profile},
              {"size", header->size()},
              {"hops", header->hops},
              {"path", header->path}};
  if (const auto delay = DelayBody::decode(*header)) {
    out["departed_ns"] = delay->departed_ns;
    out["remote_ns"] = delay->remote_ns;
  }
  if (const auto ints = IntBody::decode(*header)) out["records"] = records_of(*ints);
  if (const auto credit = CreditBody::decode(*header)) {
    out["kind"] = credit->kind;
    out["priority"] = credit->priority;
    out["granted_psn"] = credit->last_psn;
    out["first_missing"] = credit->first_missing;
  }
  return out;
}

void check_header(const json& wanted, const std::optional<CongestionHeader>& header, const std::uint8_t* at) {
  CHECK(fields_of(header) == wanted);
  if (!header) return;
  Bytes again(header->size());
  header->encode(again.data());
  CHECK(again == Bytes(at, at + again.size()));
}

void check_frame(const json& wanted, const Bytes& bytes) {
  ParsedFrame frame = parse_frame(ByteSpan(bytes));
  REQUIRE(frame.kind == FrameKind::kUdp);
  PlainHeaders plain;
  if (frame.dest_port == kCongestionUdpPort) {
    CchScratch scratch;
    const auto header = decode_congestion_header(frame, scratch);
    check_header(wanted, header, frame.content.part(0).data());
    REQUIRE(header);
    CHECK_FALSE(icrc_matches(frame));
    REQUIRE(remove_congestion_header(frame, header->size(), plain));
  } else {
    CHECK(wanted.is_null());
  }
  CHECK(frame.dest_port == kRoceUdpPort);
  CHECK(icrc_matches(frame));
}

void check_case(const json& wanted) {
  INFO(wanted.at("name").get<std::string>() << ": " << wanted.at("about").get<std::string>());
  if (wanted.contains("frame")) {
    check_frame(wanted.at("header"), from_hex(wanted.at("frame").get<std::string>()));
    return;
  }
  const Bytes bytes = from_hex(wanted.at("cch").get<std::string>());
  check_header(wanted.at("header"), CongestionHeader::decode(bytes), bytes.data());
}

}  // namespace

TEST_CASE("the tree's own golden congestion control headers exist", "[cc_wire]") {
  if (vectors_are_ours()) CHECK_FALSE(cc_files(CcKind::kWire).empty());
}

TEST_CASE("golden congestion control headers and their frames", "[cc_wire]") {
  for (const auto& path : cc_files(CcKind::kWire)) {
    INFO(path.string());
    const json document = read_cc_file(path).document;
    REQUIRE(document.at("algorithm") == "wire");
    REQUIRE_FALSE(document.at("cases").empty());
    for (const json& wanted : document.at("cases")) check_case(wanted);
  }
}

TEST_CASE("a frame without its congestion control header is the standard packet", "[cc_wire]") {
  if (!vectors_are_ours()) return;
  for (const auto& path : cc_files(CcKind::kWire)) {
    const json cases = read_cc_file(path).document.at("cases");
    REQUIRE(cases.at(0).at("name") == "plain");
    REQUIRE(cases.at(1).at("name") == "delay_data");
    const Bytes plain = from_hex(cases.at(0).at("frame").get<std::string>());
    const Bytes extended = from_hex(cases.at(1).at("frame").get<std::string>());
    ParsedFrame frame = parse_frame(ByteSpan(extended));
    PlainHeaders headers;
    REQUIRE(remove_congestion_header(frame, 16, headers));
    Bytes datagram(frame.datagram.size());
    frame.datagram.copy(0, datagram.size(), datagram.data());
    CHECK(datagram == Bytes(plain.begin() + kEthernetSize, plain.end()));
  }
}
