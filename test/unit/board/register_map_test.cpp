// SPDX-License-Identifier: BSD-3-Clause
// Compares the declared register space with that of PyRogue, the laboratory's client, and tests the lookup
// of registers.
#include "board/profile.hpp"
#include "support/vector_files.hpp"

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb::board;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',')
      out.emplace_back();
    else if (c != '\r')
      out.back() += c;
  }
  return out;
}

std::vector<Row> rows(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const auto names = fields(line);
  std::vector<Row> out;
  while (std::getline(in, line)) {
    const auto values = fields(line);
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = values.at(i);
    out.push_back(row);
  }
  return out;
}

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08X", value);
  return text;
}

/// Returns the names of a register's values, for example "0=CLOSED_S; 1=SEND_SYN_S". Omits values that
/// PyRogue calls Undefined.
std::string texts(const Register& r) {
  std::string out;
  for (const EnumText& t : r.texts) {
    const std::string key = r.format == NumberFormat::kBool ? t.text : std::to_string(t.value);
    out += (out.empty() ? "" : "; ") + key + "=" + t.text;
  }
  return out;
}

std::string without_undefined(const std::string& list) {
  std::istringstream in(list);
  std::string part, out;
  while (std::getline(in, part, ';')) {
    part.erase(0, part.find_first_not_of(' '));
    if (part.ends_with("=Undefined")) continue;
    out += (out.empty() ? "" : "; ") + part;
  }
  return out;
}

void check_row(const Register& r, const Row& row) {
  CHECK(r.path == row.at("path"));
  CHECK(to_string(r.kind) == row.at("kind"));
  CHECK(hex(r.address) == row.at("address"));
  CHECK(std::to_string(r.bit_offset) == row.at("bit_offset"));
  CHECK(std::to_string(r.bit_size) == row.at("bit_size"));
  CHECK(to_string(r.access) == row.at("mode"));
  CHECK(r.base() == row.at("base"));
  CHECK(std::to_string(r.num_values) == row.at("num_values"));
  CHECK(std::to_string(r.value_bits) == row.at("value_bits"));
  CHECK(row.at("value_stride") == row.at("value_bits"));
  CHECK(std::to_string(r.poll_interval_s) == row.at("poll_interval_s"));
  CHECK(texts(r) == without_undefined(row.at("enum")));
}

}  // namespace

TEST_CASE("register map: the default profile equals the client's map", "[registers]") {
  for (const auto& path : softfeb::test::vector_files("control", ".csv")) {
    INFO(path.string());
    const auto golden = rows(path);
    const auto all = default_profile().map().all();
    if (softfeb::test::vectors_are_ours()) REQUIRE(golden.size() == 379);
    REQUIRE(all.size() == golden.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO(golden[i].at("path"));
      check_row(all[i], golden[i]);
    }
  }
}

TEST_CASE("register map: paths are unique and no two registers share a writable bit", "[registers]") {
  for (const Profile& profile : profiles()) {
    INFO(profile.name());
    std::set<std::string> paths;
    std::set<std::pair<std::uint32_t, unsigned>> read, written;
    for (const Register& r : profile.map().all()) {
      INFO(r.path);
      CHECK(paths.insert(r.path).second);
      CHECK(r.address % 4 == 0);
      CHECK(r.bit_offset < 32);
      for (unsigned b = r.bit_offset; b < r.bit_offset + r.bit_size; ++b) {
        if (r.readable()) CHECK(read.emplace(r.address + b / 32 * 4, b % 32).second);
        if (r.writable()) CHECK(written.emplace(r.address + b / 32 * 4, b % 32).second);
      }
    }
  }
}

TEST_CASE("register map: every register lies in its block, and blocks do not overlap", "[registers]") {
  for (const Profile& profile : profiles()) {
    std::uint64_t end = 0;
    std::map<std::uint32_t, const BlockSpec*> blocks;
    for (const BlockSpec& b : profile.blocks()) blocks[b.base] = &b;
    for (const auto& [base, block] : blocks) {
      CHECK(base >= end);
      end = std::uint64_t{base} + block->size;
    }
    for (const Register& r : profile.map().all()) {
      const BlockSpec& block = *std::prev(blocks.upper_bound(r.address))->second;
      CHECK(r.path.rfind(block.path + ".", 0) == 0);
      CHECK(r.address + r.words() * 4 <= std::uint64_t{block.base} + block.size);
    }
  }
}

TEST_CASE("register map: the newer profile extends the older one", "[registers]") {
  const Profile* newer = find_profile("kcu105-rocev2-2026.09");
  REQUIRE(newer != nullptr);
  CHECK(find_profile("kcu105-rocev2-2026.05") == &default_profile());
  CHECK(find_profile("kcu105") == nullptr);
  for (const Register& r : default_profile().map().all()) {
    const Register* same = newer->map().find(r.path);
    REQUIRE(same != nullptr);
    CHECK(same->address == r.address);
  }
  const auto& map = newer->map();
  CHECK(map.one("UdpEngine.EcnFlag").address == 0x0011'0ffc);
  CHECK(map.one("UdpEngine.EcnFlag").bit_offset == 16);
  CHECK(map.one("UdpEngine.Dscp").bit_offset == 18);
  CHECK(map.one("UdpEngine.Dscp").bit_size == 6);
  CHECK(map.one("RoceEngine.SoftReset").address == 0x0015'0f50);
  CHECK(map.one("Dcqcn.DcqcnBypass").address == 0x0015'1024);
  CHECK(map.one("Dcqcn[14].DcqcnBypass").address == 0x0015'f024);
  CHECK(dcqcn_slots(*newer) == 15);
  CHECK(dcqcn_slots(default_profile()) == 1);
}

TEST_CASE("register map: by path, end of path, pattern and address", "[registers]") {
  const RegisterMap& map = default_profile().map();
  CHECK(map.find("Root.Core.AxiVersion.ScratchPad")->address == 4);
  CHECK(map.find("AxiVersion.ScratchPad") == nullptr);
  CHECK(map.one("AxiVersion.ScratchPad").address == 4);
  CHECK(map.one("ScratchPad").address == 4);
  CHECK(map.match("Pad").empty());  // a pattern matches whole components only
  CHECK(map.match("FwRudpServer[*].ConnState").size() == 2);
  CHECK(map.match("RawVauxpVauxn[1?]").size() == 6);
  CHECK(map.match("Root.App.*").size() == 18);
  CHECK(map.match("*").size() == map.all().size());
  CHECK(map.match("").empty());
  CHECK_THROWS_WITH(map.one("ConnState"), Catch::Contains("several") && Catch::Contains("FwRudpServer[1]"));
  CHECK_THROWS_WITH(map.one("AxiVersion.scratchpad"), Catch::Contains("Root.Core.AxiVersion.ScratchPad"));
  CHECK_THROWS_WITH(map.one("NoSuchThing"), Catch::Contains("NoSuchThing"));

  std::vector<std::string> names;
  for (const Register* r : map.within(0x0012'000c, 4)) names.push_back(r->path.substr(26));
  CHECK(names == std::vector<std::string>{"locMaxOutsSeg", "curMaxOutsSeg"});
  CHECK(map.within(0x0015'0f08, 4).size() == 1);  // inside MetaDataTx
  CHECK(map.within(0x0015'0f50, 4).empty());
  CHECK(map.within(0x8003'0f08, 0xffff'ffff).size() == 1);
}
