// SPDX-License-Identifier: BSD-3-Clause
#include "board/metadata.hpp"

#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::board;
using roce::QpState;

namespace {

struct Recorder : QpObserver {
  struct Event {
    std::size_t index;
    QpContext qp;
  };
  void on_qp_state(std::size_t index, const QpContext& qp) override { events.push_back({index, qp}); }
  std::vector<Event> events;
};

template <typename Response, typename Request>
Response ask(MetadataServer& server, const Request& request) {
  return std::get<Response>(decode_response(server.handle(encode_request(request)).value()).value());
}

PdResponse alloc_pd(MetadataServer& server, std::uint32_t key) {
  return ask<PdResponse>(server, PdRequest{.allocate = true, .key = key});
}

QpResponse create_qp(MetadataServer& server, std::uint32_t pd, std::uint8_t type = 2) {
  return ask<QpResponse>(server, QpRequest{.verb = QpVerb::kCreate, .pd_handler = pd, .qp = {.type = type}});
}

QpResponse verb(MetadataServer& server, QpVerb v, std::uint32_t pd, std::uint32_t qpn) {
  return ask<QpResponse>(server, QpRequest{.verb = v, .pd_handler = pd, .qpn = qpn});
}

constexpr std::uint32_t kAllAttributes = 0x3ff'ffff;

QpRequest modify_to(QpState state, std::uint32_t pd, std::uint32_t qpn) {
  return {.verb = QpVerb::kModify,
          .pd_handler = pd,
          .qpn = qpn,
          .mask = kAllAttributes,
          .qp = {.state = static_cast<std::uint8_t>(state),
                 .pmtu = 3,
                 .rq_psn = 0x111111,
                 .sq_psn = 0x222222,
                 .dest_qpn = 0x333333,
                 .access = 0x0e,
                 .pkey = 0xffff,
                 .max_read_atomic = 16,
                 .max_dest_read_atomic = 15,
                 .min_rnr_timer = 12,
                 .timeout = 14,
                 .retry_count = 3,
                 .rnr_retry = 7}};
}

QpResponse modify(MetadataServer& server, QpState state, std::uint32_t pd, std::uint32_t qpn) {
  return ask<QpResponse>(server, modify_to(state, pd, qpn));
}

/// Creates a QP, moves it to RTS, and returns its QPN.
std::uint32_t bring_up(MetadataServer& server, std::uint32_t pd) {
  const std::uint32_t qpn = create_qp(server, pd).qpn;
  for (const auto s : {QpState::kInit, QpState::kRtr, QpState::kRts})
    REQUIRE(modify(server, s, pd, qpn).success);
  return qpn;
}

}  // namespace

TEST_CASE("metadata: the data path receives every state with its attributes", "[metadata]") {
  Recorder data_path;
  MetadataServer server(&data_path);
  const std::uint32_t pd = alloc_pd(server, 0xab00'0042).handler;
  const std::uint32_t qpn = bring_up(server, pd);
  CHECK(qpn == 0x42);
  REQUIRE(modify(server, QpState::kErr, pd, qpn).success);
  REQUIRE(verb(server, QpVerb::kDestroy, pd, qpn).success);

  std::vector<QpState> states;
  for (const auto& e : data_path.events) states.push_back(e.qp.state);
  CHECK(states == std::vector{QpState::kCreate, QpState::kInit, QpState::kRtr, QpState::kRts, QpState::kErr,
                              QpState::kReset});
  const QpContext& rts = data_path.events[3].qp;
  CHECK(rts.qpn == 0x42);
  CHECK(rts.pd_handler == pd);
  CHECK(rts.type == 2);
  CHECK(rts.pmtu == 1024);
  CHECK(rts.dest_qpn == 0x333333);
  CHECK(rts.rq_psn == 0x111111);
  CHECK(rts.sq_psn == 0x222222);
  CHECK(rts.min_rnr_timer == 12);
  CHECK(rts.timeout == 14);
  CHECK(rts.retry_count == 3);
  CHECK(rts.rnr_retry == 7);
}

TEST_CASE("metadata: a refused request has no effect", "[metadata]") {
  Recorder data_path;
  MetadataServer server(&data_path);
  const std::uint32_t pd = alloc_pd(server, 0x42).handler;
  const std::uint32_t qpn = bring_up(server, pd);
  data_path.events.clear();
  const auto refused = modify_to(QpState::kRtr, pd, qpn);
  const auto response = ask<QpResponse>(server, refused);
  CHECK_FALSE(response.success);
  CHECK(response.qp == refused.qp);
  CHECK(response.qpn == qpn);
  CHECK(response.pd_handler == pd);
  CHECK(data_path.events.empty());
  CHECK(server.qp(0).state == QpState::kRts);
}

TEST_CASE("metadata: every required attribute must be in the mask of a transition", "[metadata]") {
  struct Step {
    QpState to;
    std::vector<std::uint32_t> needed;
  };
  const std::vector<Step> steps{{QpState::kInit, {1, 8, 16}},
                                {QpState::kRtr, {1, 256, 1048576, 4096, 131072, 32768}},
                                {QpState::kRts, {1, 65536, 512, 1024, 2048, 8192}},
                                {QpState::kSqd, {1}},
                                {QpState::kRts, {1}},
                                {QpState::kErr, {1}}};
  MetadataServer server;
  const std::uint32_t pd = alloc_pd(server, 0x42).handler;
  const std::uint32_t qpn = create_qp(server, pd).qpn;
  for (const auto& step : steps) {
    std::uint32_t all = 0;
    for (const std::uint32_t bit : step.needed) {
      all |= bit;
      auto request = modify_to(step.to, pd, qpn);
      request.mask &= ~bit;
      INFO("to " << static_cast<int>(step.to) << " without " << bit);
      CHECK_FALSE(ask<QpResponse>(server, request).success);
    }
    auto request = modify_to(step.to, pd, qpn);
    request.mask = all;
    CHECK(ask<QpResponse>(server, request).success);
  }
}

TEST_CASE("metadata: a query shows the data path's PSN and errors", "[metadata]") {
  Recorder data_path;
  MetadataServer server(&data_path);
  const std::uint32_t pd = alloc_pd(server, 0x42).handler;
  const std::uint32_t qpn = bring_up(server, pd);
  server.on_next_psn(0, 0x00abcd);
  CHECK(verb(server, QpVerb::kQuery, pd, qpn).qp.sq_psn == 0x00abcd);
  data_path.events.clear();
  server.on_qp_error(0);
  CHECK(data_path.events.empty());  // no event, because the data path itself reported the error
  const auto query = verb(server, QpVerb::kQuery, pd, qpn);
  CHECK(query.qp.current_state == 6);
  CHECK(query.qp.sq_psn == 0);  // a query returns the PSN only in the states RTS and SQD
  CHECK(verb(server, QpVerb::kDestroy, pd, qpn).success);
  server.on_qp_error(0);  // has no effect, because the slot no longer contains a queue pair
  CHECK(server.qp(0).state == QpState::kReset);
}

TEST_CASE("metadata: requests that the data path cannot fulfil are refused", "[metadata]") {
  MetadataServer server;
  const std::uint32_t pd = alloc_pd(server, 0x42).handler;
  for (std::uint8_t type = 0; type < 16; ++type) {
    if (type == 2 || type == 3) continue;
    const auto response = create_qp(server, pd, type);
    CHECK_FALSE(response.success);
    CHECK(response.qpn == 0);
  }
  const std::uint32_t qpn = create_qp(server, pd, 3).qpn;  // the refused requests have not used up a slot
  CHECK(qpn == 0x42);
  REQUIRE(modify(server, QpState::kInit, pd, qpn).success);
  for (const std::uint8_t code : {0, 6, 7}) {
    auto request = modify_to(QpState::kRtr, pd, qpn);
    request.qp.pmtu = code;
    CHECK_FALSE(ask<QpResponse>(server, request).success);
  }
  CHECK(modify(server, QpState::kRtr, pd, qpn).success);
}

TEST_CASE("metadata: reset frees everything and informs the data path", "[metadata]") {
  Recorder data_path;
  MetadataServer server(&data_path);
  const std::uint32_t pd = alloc_pd(server, 0x42).handler;
  bring_up(server, pd);
  data_path.events.clear();
  server.reset();
  REQUIRE(data_path.events.size() == 1);
  CHECK(data_path.events[0].qp.state == QpState::kReset);
  CHECK_FALSE(verb(server, QpVerb::kQuery, pd, 0x42).success);
  CHECK(alloc_pd(server, 0x43).success);
  CHECK(bring_up(server, 0x43) == 0x43);
}

TEST_CASE("metadata: more slots, numbered in the top bits", "[metadata]") {
  Recorder data_path;
  MetadataServer server(&data_path, {.pds = 2, .mrs_per_pd = 4, .qps = 4});
  CHECK(alloc_pd(server, 0x1234'5678).handler == 0x1234'5678);
  CHECK(alloc_pd(server, 0x1234'5678).handler == 0x9234'5678);
  CHECK_FALSE(alloc_pd(server, 1).success);

  for (const std::uint32_t index : {0U, 1U, 2U, 3U}) {
    const auto mr = ask<MrResponse>(
        server,
        MrRequest{.allocate = true,
                  .mr = {.pd_handler = 0x9234'5678, .lkey_part = 0x7fff'fff1, .rkey_part = 0x7fff'fff2}});
    CHECK(mr.success);
    CHECK(mr.lkey == (index << 30 | 0x3fff'fff1));
    CHECK(mr.rkey == (index << 30 | 0x3fff'fff2));
  }
  CHECK_FALSE(
      ask<MrResponse>(server, MrRequest{.allocate = true, .mr = {.pd_handler = 0x9234'5678}}).success);
  CHECK(ask<MrResponse>(server, MrRequest{.allocate = true, .mr = {.pd_handler = 0x1234'5678}}).success);

  std::vector<std::uint32_t> qpns;
  for (int i = 0; i < 4; ++i) qpns.push_back(bring_up(server, 0x9234'5678));
  CHECK(qpns == std::vector<std::uint32_t>{0x34'5678, 0x74'5678, 0xb4'5678, 0xf4'5678});
  CHECK_FALSE(create_qp(server, 0x9234'5678).success);
  data_path.events.clear();
  REQUIRE(modify(server, QpState::kErr, 0x9234'5678, qpns[2]).success);
  CHECK(data_path.events.at(0).index == 2);
  CHECK(server.qp(1).state == QpState::kRts);
  CHECK(verb(server, QpVerb::kQuery, 0x9234'5678, qpns[3]).qp.current_state == 3);
}

TEST_CASE("metadata: limits beyond the range of slot numbers are refused", "[metadata]") {
  CHECK_THROWS_WITH(MetadataServer(nullptr, {.pds = 3}),
                    Catch::Contains("3 PDs") && Catch::Contains("power of two"));
  CHECK_THROWS_AS(MetadataServer(nullptr, {.pds = 0}), std::invalid_argument);
  CHECK_THROWS_AS(MetadataServer(nullptr, {.mrs_per_pd = 512}), std::invalid_argument);
  CHECK_THROWS_AS(MetadataServer(nullptr, {.qps = 131072}), std::invalid_argument);
}
