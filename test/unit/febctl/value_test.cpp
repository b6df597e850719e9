// SPDX-License-Identifier: BSD-3-Clause
#include "value.hpp"

#include "board_fake.hpp"
#include "failure.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::febctl;
using namespace softfeb::test;

namespace {

/// Parses a value of register `name`, and returns the parsed value formatted as text.
std::string round(const char* name, const std::string& text) {
  const Register reg = catalogue().one(name);
  return value_text(reg, parse_value(reg, text));
}

std::string value_complaint(const char* name, const std::string& text) {
  try {
    parse_value(catalogue().one(name), text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("bits are extracted from words and inserted") {
  Register reg;
  reg.bit_offset = 5;
  reg.bit_size = 33;
  Bytes words(8, 0xff);
  insert(reg, bits_of(0x1'2345'6789, 33), words);
  CHECK(low64(extract(reg, words)) == 0x1'2345'6789);
  CHECK((words[0] & 0x1f) == 0x1f);
  CHECK((words[4] & 0xc0) == 0xc0);
  CHECK(words[5] == 0xff);
  CHECK(reg.range() == Range{0, 8});
}

TEST_CASE("numbers") {
  CHECK(round("ScratchPad", "7") == "7");
  CHECK(round("ScratchPad", "1000") == "1000 (0x3e8)");
  CHECK(round("ScratchPad", "0xC6C2F69E") == "3334665886 (0xc6c2f69e)");
  CHECK(round("ScratchPad", "0b101") == "5");
  CHECK(round("RoceDispatcher.RemAddr", "0xffffffffffffffff") == "18446744073709551615 (0xffffffffffffffff)");
  CHECK(value_complaint("ScratchPad", "0x100000000").find("0xffffffff (32 bits)") != std::string::npos);
  CHECK(value_complaint("RoceDispatcher.SQpn", "0x1000000").find("24 bits") != std::string::npos);
  CHECK(value_complaint("ScratchPad", "-1").find("ScratchPad") != std::string::npos);
  for (const char* text : {"", "0x", "12a", " 1", "1 ", "one", "1e3"}) {
    INFO(text);
    CHECK_FALSE(value_complaint("ScratchPad", text).empty());
  }
}

TEST_CASE("numbers of more than 64 bits are hexadecimal") {
  const std::string digits = "0x123456789abcdef0123456789abcdef";
  CHECK(round("RoceEngine.MetaDataTx", digits) == digits);
  CHECK(round("RoceEngine.MetaDataTx", "12") == "0xc");
  const std::string most = "0x7fff" + std::string(72, 'f');  // 303 bits
  CHECK(round("RoceEngine.MetaDataTx", most) == most);
  CHECK(value_complaint("RoceEngine.MetaDataTx", "0x8000" + std::string(72, '0')).find("303 bits") !=
        std::string::npos);
  CHECK_FALSE(value_complaint("RoceEngine.MetaDataTx", "0xgg").empty());
}

TEST_CASE("signed numbers") {
  Register reg;
  reg.path = "x";
  reg.base = Base::kSigned;
  reg.bit_size = 12;
  for (const std::string text : {"-2048", "2047", "-1", "0"})
    CHECK(value_text(reg, parse_value(reg, text)) == text);
  CHECK_THROWS_AS(parse_value(reg, "2048"), UsageError);
  CHECK_THROWS_AS(parse_value(reg, "-2049"), UsageError);
}

TEST_CASE("names of values") {
  CHECK(round("AppTx.ContinuousMode", "True") == "true");
  CHECK(round("AppTx.ContinuousMode", "0") == "false");
  CHECK(round("Sfp.Connector", "LC") == "7 (LC)");
  CHECK(round("Sfp.Connector", "7") == "7 (LC)");
  CHECK(round("FwRudpServer[0].ConnState", "OPEN_S") == "7 (OPEN_S)");
  CHECK(value_complaint("FwRudpServer[0].ConnState", "OPENS").find("OPEN_S") != std::string::npos);
}

TEST_CASE("network registers hold network order") {
  CHECK(round("UdpEngine.ClientRemoteIpRaw[0]", "192.168.2.100") == "0x6402a8c0 (192.168.2.100)");
  CHECK(round("UdpEngine.ClientRemoteIpRaw[0]", "0x6402a8c0") == "0x6402a8c0 (192.168.2.100)");
  CHECK(round("UdpEngine.ClientRemoteIp", "192.168.2.100") == "192.168.2.100");
  CHECK(round("UdpEngine.ClientRemotePortRaw[0]", "0xb712") == "0xb712 (4791)");
  CHECK(round("UdpEngine.ClientRemotePort", "4791") == "4791");
  CHECK(parse_value(catalogue().one("UdpEngine.ClientRemotePort"), "4791") == Bits{0x12, 0xb7});
  CHECK(round("UdpEngine.SoftMacRaw", "08:00:56:00:00:01") == "0x10000560008 (08:00:56:00:00:01)");
  CHECK_FALSE(value_complaint("UdpEngine.ClientRemoteIp", "0x6402a8c0").empty());
  CHECK_FALSE(value_complaint("UdpEngine.ClientRemotePort", "65536").empty());
  CHECK_FALSE(value_complaint("UdpEngine.ClientRemoteIpRaw", "fe80::1").empty());
}

TEST_CASE("text") {
  Register reg;
  reg.path = "x";
  reg.base = Base::kText;
  reg.bit_size = 64;
  CHECK(value_text(reg, parse_value(reg, "softfeb")) == "\"softfeb\"");
  CHECK(value_text(reg, {'a', 0xff, 0, 'b', 0, 0, 0, 0}) == "\"a\\xff\"");
  CHECK(value_json(reg, {'a', 0xff, 0, 0, 0, 0, 0, 0}) == "a?");
  CHECK_THROWS_AS(parse_value(reg, "nine char"), UsageError);
}

TEST_CASE("arrays") {
  Register reg;
  reg.path = "x";
  reg.bit_size = 96;
  reg.elements = 3;
  reg.element_bits = 32;
  const Bits bits = parse_value(reg, "[1, 0x20,3]");
  CHECK(bits == parse_value(reg, "1,32,3"));
  CHECK(value_text(reg, bits) == "[0x1, 0x20, 0x3]");
  CHECK(value_json(reg, bits) == nlohmann::json::array({1, 32, 3}));
  CHECK(value_text(reg, Bits(12, 0)) == "3 elements, all 0");
  CHECK_THROWS_AS(parse_value(reg, "1,2"), UsageError);
  CHECK_THROWS_AS(parse_value(reg, "1,2,"), UsageError);
  CHECK_THROWS_AS(parse_list(element_of(reg, 0), {"1"}), UsageError);
}
