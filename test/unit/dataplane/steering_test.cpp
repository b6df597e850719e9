// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/steering.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

roce::IpAddress ip_of(const char* text) { return *roce::IpAddress::parse(text); }

const std::vector<SteeredBoard> kBoards{{{}, ip_of("10.0.0.1"), {0x11, 0x12}, 0},
                                        {{}, ip_of("10.0.0.2"), {0x11}, 1}};

std::optional<std::string> takes_all(const SteeringRule& /*rule*/) { return std::nullopt; }
std::optional<std::string> no_bth(const SteeringRule& rule) {
  return rule.qpn ? std::optional<std::string>("no BTH here") : std::nullopt;
}
std::optional<std::string> nothing(const SteeringRule& /*rule*/) { return "no rules here"; }

}  // namespace

TEST_CASE("the highest tier that the port accepts is chosen", "[dataplane][steering]") {
  const auto bth = choose_steering(SteeringTier::kBth, 2, kBoards, takes_all);
  CHECK(bth.tier == SteeringTier::kBth);
  REQUIRE(bth.rules.size() == 3);
  CHECK((bth.rules[1].qpn == 0x12U && bth.rules[1].queue == 0 && bth.rules[1].ip == ip_of("10.0.0.1")));

  const auto udp = choose_steering(SteeringTier::kBth, 2, kBoards, no_bth);
  CHECK(udp.tier == SteeringTier::kUdp);
  REQUIRE(udp.rules.size() == 2);
  CHECK((!udp.rules[1].qpn && udp.rules[1].queue == 1));
  CHECK(udp.reason == "no T3: no BTH here");

  const auto software = choose_steering(SteeringTier::kBth, 2, kBoards, nothing);
  CHECK(software.tier == SteeringTier::kSoftware);
  CHECK(software.rules.empty());
  CHECK(software.reason == "no T3: no rules here; no T2: no rules here");
}

TEST_CASE("one refused rule rules out its tier", "[dataplane][steering]") {
  const auto second_board = [](const SteeringRule& r) {
    return r.ip == ip_of("10.0.0.2") ? std::optional<std::string>("table full") : std::nullopt;
  };
  CHECK(choose_steering(SteeringTier::kUdp, 2, kBoards, second_board).tier == SteeringTier::kSoftware);
}

TEST_CASE("nothing is steered with one queue, or if switched off", "[dataplane][steering]") {
  CHECK(choose_steering(SteeringTier::kBth, 1, kBoards, takes_all).reason == "one queue: nothing to steer");
  CHECK(choose_steering(SteeringTier::kSoftware, 2, kBoards, takes_all).rules.empty());
  CHECK(choose_steering(SteeringTier::kUdp, 2, kBoards, takes_all).tier == SteeringTier::kUdp);
}

TEST_CASE("a board spread over queues requires T3", "[dataplane][steering]") {
  const std::vector<SteeredBoard> split{{{}, ip_of("10.0.0.1"), {1}, 0}, {{}, ip_of("10.0.0.1"), {2}, 1}};
  CHECK(choose_steering(SteeringTier::kBth, 2, split, takes_all).rules.size() == 2);
  const auto without = choose_steering(SteeringTier::kBth, 2, split, no_bth);
  CHECK(without.tier == SteeringTier::kSoftware);
  CHECK_THAT(without.reason, Catch::Contains("spread over several queues"));
  const std::vector<SteeredBoard> vlans{{roce::VlanTag{1, 0}, ip_of("10.0.0.1"), {}, 0},
                                        {roce::VlanTag{2, 0}, ip_of("10.0.0.1"), {}, 1}};
  CHECK(choose_steering(SteeringTier::kUdp, 2, vlans, takes_all).rules.size() == 2);
}

TEST_CASE("too many rules are not requested", "[dataplane][steering]") {
  std::vector<SteeredBoard> boards = kBoards;
  boards[0].qpns.assign(kMaxSteeringRules, 1);
  const auto choice = choose_steering(SteeringTier::kBth, 2, boards, takes_all);
  CHECK(choice.tier == SteeringTier::kUdp);
  CHECK_THAT(choice.reason, Catch::Contains("4097 rules"));
}
