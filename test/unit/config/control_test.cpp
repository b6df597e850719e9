// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "documents.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Returns kBase with the given lines in section `control` of its board, starting at line 16.
std::string with_control(const std::string& lines) {
  return replaced(kBase, "    qps:\n", "    control:\n" + lines + "    qps:\n");
}

std::string with_line(const std::string& line) { return with_control("      " + line + '\n'); }

std::vector<std::string> texts(const std::vector<IpPrefix>& networks) {
  std::vector<std::string> out;
  for (const IpPrefix& n : networks) out.push_back(to_string(n));
  return out;
}

/// Returns the only problem of `text`.
Problem only(const std::string& text) {
  const auto found = problems(text);
  std::string all;
  for (const Problem& p : found) all += to_string(p) + '\n';
  INFO(all);
  REQUIRE(found.size() == 1);
  return found.front();
}

void refuses(const std::string& line, const std::string& message, const std::string& fix) {
  INFO(line);
  const Problem p = only(with_line(line));
  INFO(to_string(p));
  CHECK(p.where.line == 17);
  CHECK(p.message.find(message) != std::string::npos);
  CHECK(p.fix.find(fix) != std::string::npos);
}

}  // namespace

TEST_CASE("no control section means no control; an empty one has all defaults") {
  CHECK_FALSE(load(kBase).boards[0].control);
  const auto config = load(replaced(kBase, "    qps:\n", "    control: {}\n    qps:\n"));
  REQUIRE(config.boards[0].control);
  const ControlConfig& c = *config.boards[0].control;
  CHECK(c.listen == IpAddress::parse("127.0.0.1"));
  CHECK(c.registers_port == 8192);
  CHECK(c.stream_port == 8193);
  CHECK_FALSE(c.in_band);
  CHECK(texts(c.allow) == std::vector<std::string>{"127.0.0.0/8", "::1/128"});
  CHECK(c.pds == 1);
  CHECK(c.mrs == 2);
  CHECK(c.qps == 1);
  CHECK_FALSE(c.remote);
  CHECK_FALSE(c.responder);
}

TEST_CASE("in-band control allows the board's neighbours unless configured otherwise") {
  CHECK(texts(load(with_line("in_band: true")).boards[0].control->allow) ==
        std::vector<std::string>{"127.0.0.0/8", "::1/128", "10.0.0.0/24"});
  CHECK(texts(load(with_line("allow: [192.168.2.0/24, 10.0.0.7]")).boards[0].control->allow) ==
        std::vector<std::string>{"192.168.2.0/24", "10.0.0.7/32"});
  CHECK(load(with_line("allow: []")).boards[0].control->allow.empty());
  CHECK(texts(load(with_line("allow: 0.0.0.0/0")).boards[0].control->allow) ==
        std::vector<std::string>{"0.0.0.0/0"});
}

TEST_CASE("replicas listen on consecutive addresses") {
  const std::string three = replaced(with_line("registers_port: 9000"), "    ip: 10.0.0.1/24\n",
                                     "    ip: 10.0.0.11/24\n    count: 3\n");
  const auto config = load(three);
  REQUIRE(config.boards.size() == 3);
  CHECK(to_string(*config.boards[0].control->listen) == "127.0.0.1");
  CHECK(to_string(*config.boards[2].control->listen) == "127.0.0.3");
  const auto any = problems(replaced(three, "registers_port: 9000", "listen: 0.0.0.0"));
  REQUIRE_FALSE(any.empty());
  CHECK(any[0].message.find("cannot count up from 0.0.0.0") != std::string::npos);
}

TEST_CASE("a responder is a receiver of the file with memory") {
  const auto config = load(with_line("responder: daq"));
  CHECK(config.boards[0].control->responder == 0U);
  CHECK(config.receivers[0].memory == 1U << 20);
  const auto sized = load(replaced(with_line("responder: daq"), "    memory: 1MiB\n", ""));
  CHECK(sized.receivers[0].memory == 4U << 20);
  refuses("responder: dag", "no receiver \"dag\"", "did you mean `daq`?");
  const auto far = problems(replaced(with_line("responder: daq"), "ip: 10.0.0.2/24", "ip: 10.0.1.2/24"));
  REQUIRE_FALSE(far.empty());
  CHECK(far[0].where.line == 17);
  CHECK(far[0].message.find("cannot reach each other") != std::string::npos);
}

TEST_CASE("invalid control keys are refused") {
  refuses("listen: localhost", "is not an IP address", "127.0.0.1");
  refuses("registers_port: 0", "out of range", "65535");
  refuses("stream_port: 8192", "the same port", "different ports");
  refuses("allow: [10.0.0.1/24]", "bits beyond its prefix", "10.0.0.0/24");
  refuses("allow: [10.0.0.0/33]", "out of range", "32");
  refuses("allow: here", "is not a network", "127.0.0.0/8");
  refuses("pds: 3", "not a power of two", "1, 2, 4");
  refuses("qps: 512", "out of range", "256");
  refuses("mrs: 0", "out of range", "256");
  refuses("window: 0", "out of range", "65536");
  refuses("window: 100\n      send_queue: 64", "cannot fill", "send_queue");
  refuses("profile: kcu105", "unknown firmware profile", "kcu105-rocev2-2026.05");
  refuses("remote: fd00::1", "does not fit", "IPv4");
  refuses("remote: 224.0.0.1", "unicast", "a single host");
  refuses("slots: first", "unknown value", "bus_first");
  refuses("listen: none", "unreachable", "in_band");
  refuses("lissten: none", "unknown key", "did you mean `listen`?");
  refuses("max_connects_per_second: 0", "out of range", "1");
}

TEST_CASE("two boards at one address are refused with both places") {
  const std::string other =
      "  - name: feb1\n    port: feb\n    ip: 10.0.0.3/24\n    control:\n      registers_port: 8193\n"
      "      stream_port: 8194\nreceivers:\n";
  const Problem p = only(replaced(with_line("in_band: false"), "receivers:\n", other));
  INFO(to_string(p));
  CHECK(p.message.find("127.0.0.1 UDP 8193 is already \"feb0\"'s (line 1") != std::string::npos);
  CHECK(p.fix.find("127.0.0.2") != std::string::npos);
  const std::string apart = "    control:\n      listen: 127.0.0.2\n";
  CHECK(problems(replaced(with_line("in_band: false"), "receivers:\n",
                          "  - name: feb1\n    port: feb\n    ip: 10.0.0.3/24\n" + apart + "receivers:\n"))
            .empty());
  // A socket bound to 0.0.0.0 receives at every address of the host, so it conflicts with 127.0.0.1.
  const std::string all = "    control:\n      listen: 0.0.0.0\n";
  only(replaced(with_line("in_band: false"), "receivers:\n",
                "  - name: feb1\n    port: feb\n    ip: 10.0.0.3/24\n" + all + "receivers:\n"));
}

TEST_CASE("slow control requires an IPv4 address") {
  std::string six = replaced(with_line("in_band: false"), "10.0.0.1/24", "fd00::1/64");
  six = replaced(six, "10.0.0.2/24", "fd00::2/64");
  CHECK(only(six).message.find("IPv4") != std::string::npos);
}

TEST_CASE("emitted control sections read back") {
  const auto config =
      load(with_control("      listen: 127.0.0.9\n      registers_port: 18192\n      in_band: true\n"
                        "      pds: 2\n      mrs: 4\n      qps: 8\n      remote: 10.0.0.2\n"
                        "      responder: daq\n      slots: bus_first\n      window: 100\n"
                        "      max_connects_per_second: 7\n"));
  CHECK(config.boards[0].control->send_queue == 100);
  const std::string yaml = to_yaml(config);
  INFO(yaml);
  CHECK(to_yaml(load(yaml)) == yaml);
  CHECK(yaml.find("slots: bus_first") != std::string::npos);
  CHECK(yaml.find("10.0.0.0/24") != std::string::npos);
  const std::string none = to_yaml(load(with_control("      listen: none\n      in_band: true\n")));
  CHECK(to_yaml(load(none)) == none);
}
