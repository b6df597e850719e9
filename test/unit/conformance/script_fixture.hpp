// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/answer.hpp"
#include "conformance/script_packet.hpp"

#include <string>

#include <catch2/catch.hpp>

namespace softfeb::test {

/// Returns the queue pair to which a script sends. It has QPN 0x112233, e = 0x010203, path MTU 1024 and two
/// regions.
inline conformance::ScriptSetup script_setup(bool v6 = false) {
  const auto ip = [&](const char* v4_text, const char* v6_text) {
    return *roce::IpAddress::parse(v6 ? v6_text : v4_text);
  };
  conformance::ScriptSetup out;
  out.path.source_mac = {2, 0, 0, 0, 0, 1};
  out.path.dest_mac = {2, 0, 0, 0, 0, 2};
  out.path.source_ip = ip("10.0.0.1", "fd00::1");
  out.path.dest_ip = ip("10.0.0.2", "fd00::2");
  out.second_ip = ip("10.0.0.11", "fd00::11");
  out.dest_qp = 0x112233;
  out.unused_qp = 0xabcdef;
  out.first_psn = 0x010203;
  out.regions = {{.address = 0x10'0000, .rkey = 0x1234, .size = 0x10'0000},
                 {.address = 0x90'0000, .rkey = 0x5678, .size = 0x1000}};
  return out;
}

inline conformance::PacketSpec spec_of(const std::string& text) {
  const auto specs = conformance::parse_packets(text);
  REQUIRE(specs.size() == 1);
  return specs.front();
}

/// Returns the packet `text` as the first packet of a script.
inline conformance::ScriptPacket scripted(const std::string& text, bool v6 = false) {
  return conformance::Script(script_setup(v6)).make(spec_of(text));
}

/// Returns the frame of the packet `text`, which must not be split into fragments.
inline std::vector<std::uint8_t> frame_of(const std::string& text, bool v6 = false) {
  const conformance::ScriptPacket packet = scripted(text, v6);
  REQUIRE(packet.frames.size() == 1);
  return packet.frames.front();
}

}  // namespace softfeb::test
