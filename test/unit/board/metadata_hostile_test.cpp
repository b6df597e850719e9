// SPDX-License-Identifier: BSD-3-Clause
// Sends arbitrary 303-bit messages to queue pairs in any state. There must be no crash, no response that
// violates the rules of the metadata bus, and no invalid transition of a queue pair.
#include "base/rng.hpp"
#include "board/metadata.hpp"

#include <set>
#include <utility>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::board;
using roce::QpState;

namespace {

/// Tracks the state of every slot, and counts invalid transitions.
struct Follower : QpObserver {
  explicit Follower(std::size_t qps) : states(qps, QpState::kReset) {}

  void on_qp_state(std::size_t index, const QpContext& qp) override {
    static const std::set<std::pair<QpState, QpState>> kLegal{
        {QpState::kReset, QpState::kCreate}, {QpState::kCreate, QpState::kInit},
        {QpState::kInit, QpState::kRtr},     {QpState::kRtr, QpState::kRts},
        {QpState::kRtr, QpState::kErr},      {QpState::kRts, QpState::kSqd},
        {QpState::kRts, QpState::kErr},      {QpState::kSqd, QpState::kRts},
        {QpState::kSqd, QpState::kErr},      {QpState::kErr, QpState::kReset}};
    illegal += !kLegal.contains({states.at(index), qp.state});
    if (qp.state == QpState::kRts) {
      ++reached_rts;
      illegal += !roce::pmtu_legal(qp.pmtu) || qp.qpn > 0xff'ffff || (qp.type != 2 && qp.type != 3);
    }
    states[index] = qp.state;
  }

  std::vector<QpState> states;
  std::size_t illegal = 0;
  std::size_t reached_rts = 0;
};

/// Returns random bits that are biased towards valid requests. Purely random requests would all fail the
/// first check.
MetadataRequestBits hostile_request(Rng& rng, std::uint32_t pd, std::uint32_t qpn, QpState state) {
  std::array<std::uint8_t, MetadataRequestBits::kBytes> bytes;
  for (auto& b : bytes) b = static_cast<std::uint8_t>(rng.next());
  MetadataRequestBits bits(bytes);
  if (rng.below(4) != 0) bits.set(301, 2, rng.below(8) == 0 ? rng.below(2) : 2);
  if (bits.get(301, 2) != 2) return bits;
  if (rng.below(4) != 0) bits.set(267, 32, pd);
  if (rng.below(4) != 0) bits.set(243, 24, qpn);
  if (rng.below(3) != 0) bits.set(217, 26, 0x3ff'ffff);
  if (rng.below(3) != 0) bits.set(299, 2, state == QpState::kReset ? 0 : 2);
  if (rng.below(2) != 0) bits.set(213, 4, rng.below(7));
  if (rng.below(2) != 0) bits.set(1, 4, 2 + rng.below(2));
  return bits;
}

bool echoes(const MetadataRequest& request, const MetadataResponse& response) {
  if (const auto* qp = std::get_if<QpRequest>(&request)) {
    const auto& r = std::get<QpResponse>(response);
    // If the slot is in use, the response to a destroy request contains the slot's QPN and PD handler, not
    // those of the request.
    const bool known = qp->verb == QpVerb::kDestroy || (r.qpn == qp->qpn && r.pd_handler == qp->pd_handler);
    return known && r.qp == qp->qp;
  }
  if (const auto* mr = std::get_if<MrRequest>(&request))
    return !mr->allocate || std::get<MrResponse>(response).mr == mr->mr;
  const auto& pd = std::get<PdRequest>(request);
  return !pd.allocate || std::get<PdResponse>(response).key == pd.key;
}

bool succeeded(const MetadataResponse& response) {
  return std::visit([](const auto& r) { return r.success; }, response);
}

void attack(const MetadataLimits& limits, std::uint64_t seed) {
  Rng rng(seed);
  Follower follower(limits.qps);
  MetadataServer server(&follower, limits);
  std::uint32_t pd = 0;
  std::size_t unanswered = 0, wrong_type = 0, not_echoed = 0, state_differs = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t slot = rng.below(limits.qps);
    const auto bits = hostile_request(rng, pd, server.qp(slot).qpn, server.qp(slot).state);
    const auto request = decode_request(bits);
    const auto answer = server.handle(bits);
    if (!request || !answer) {
      unanswered += request.has_value() != answer.has_value();
      continue;
    }
    const MetadataResponse response = decode_response(*answer).value();
    wrong_type += response.index() != request->index();
    not_echoed += !succeeded(response) && !echoes(*request, response);
    if (const auto* allocated = std::get_if<PdResponse>(&response)) pd = allocated->handler;
    for (std::size_t q = 0; q < limits.qps; ++q) state_differs += server.qp(q).state != follower.states[q];
  }
  CHECK(unanswered == 0);
  CHECK(wrong_type == 0);
  CHECK(not_echoed == 0);
  CHECK(state_differs == 0);
  CHECK(follower.illegal == 0);
  CHECK(follower.reached_rts > 20);  // otherwise, too few requests passed the checks to test anything
}

}  // namespace

TEST_CASE("metadata: hostile requests, the firmware's limits", "[metadata][hostile]") { attack({}, 1); }

TEST_CASE("metadata: hostile requests, many slots", "[metadata][hostile]") {
  attack({.pds = 4, .mrs_per_pd = 8, .qps = 16}, 2);
}

TEST_CASE("metadata: plain random bits, and all ones", "[metadata][hostile]") {
  Rng rng(3);
  MetadataServer server;
  std::array<std::uint8_t, MetadataRequestBits::kBytes> bytes;
  for (int i = 0; i < 50'000; ++i) {
    for (auto& b : bytes) b = static_cast<std::uint8_t>(rng.next());
    const MetadataRequestBits bits(bytes);
    CHECK(server.handle(bits).has_value() == (bits.get(301, 2) != 3));
  }
  bytes.fill(0xff);
  CHECK_FALSE(server.handle(MetadataRequestBits(bytes)).has_value());
}
