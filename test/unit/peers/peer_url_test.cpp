// SPDX-License-Identifier: BSD-3-Clause
#include "peers/peer.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::peers;

TEST_CASE("receiver URLs", "[peer]") {
  const auto is = [](const char* text, PeerKind kind, const char* host, std::uint16_t port) {
    const PeerUrl url = parse_peer_url(text);
    CHECK(url.kind == kind);
    CHECK(url.host == host);
    CHECK(url.port == port);
  };
  is("perftest://10.0.0.2:4000", PeerKind::kPerftest, "10.0.0.2", 4000);
  is("perftest://10.0.0.2", PeerKind::kPerftest, "10.0.0.2", 18515);
  is("perftest://daq-01.example.org:1", PeerKind::kPerftest, "daq-01.example.org", 1);
  is("perftest://[fd00::2]:65535", PeerKind::kPerftest, "fd00::2", 65535);
  is("perftest://[fd00::2]", PeerKind::kPerftest, "fd00::2", 18515);
  is("sink://daq", PeerKind::kSink, "daq", kSinkPort);
  is("sink://daq:7000/", PeerKind::kSink, "daq", 7000);
}

TEST_CASE("a receiver's URL is formatted as it is parsed", "[peer]") {
  CHECK(to_string(parse_peer_url("perftest://[fd00::2]:99")) == "perftest://[fd00::2]:99");
  CHECK(to_string(parse_peer_url("sink://daq")) == "sink://daq:" + std::to_string(kSinkPort));
}

TEST_CASE("bad receiver URLs are refused with the reason", "[peer]") {
  const auto refused = [](const std::string& text, const char* reason) {
    INFO(text);
    try {
      parse_peer_url(text);
      FAIL("accepted");
    } catch (const PeerError& error) {
      CHECK(error.exit_code() == 2);
      CHECK_THAT(error.what(),
                 Catch::Contains(reason) && Catch::Contains(text) && Catch::Contains("perftest://HOST"));
    }
  };
  refused("", "unknown kind");
  refused("http://daq:1", "unknown kind");
  refused("perftest:daq:1", "unknown kind");
  refused("perftest://", "the host is missing");
  refused("perftest://:18515", "the host is missing");
  refused("perftest://daq:", "the port after the colon is missing");
  refused("perftest://daq:0", "not a port");
  refused("perftest://daq:65536", "not a port");
  refused("perftest://daq:12x", "not a port");
  refused("sink://fd00::2:99", "needs brackets");
  refused("sink://[fd00::2:99", "not closed");
  refused("sink://[fd00::2]99", "after the bracket");
  refused("sink://[fd00::2]:", "the port after the colon is missing");
  refused("sink://[10.0.0.1]:99", "not an IPv6 address");
  refused("sink://[]:99", "not an IPv6 address");
  refused("sink://daq/run", "not a host");
  refused("sink://me@daq", "not a host");
}
