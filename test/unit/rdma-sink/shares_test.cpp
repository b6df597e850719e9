// SPDX-License-Identifier: BSD-3-Clause
#include "shares.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::sink;
using Catch::Contains;

namespace {

constexpr DeviceLimits kDevice{.max_cqe = 32767, .max_qp_wr = 1024, .max_srq = 64, .max_srq_wr = 30000};

Hello hello_of(std::size_t qps, roce::Transport transport = roce::Transport::kRc) {
  Hello hello;
  hello.transport = transport;
  hello.message_size = 1000;
  hello.immediate.kind = ImmediateRule::Kind::kAny;
  hello.qps.resize(qps);
  return hello;
}

Options options_with(std::optional<std::uint32_t> srq, std::uint64_t memory = 1U << 20) {
  Options options;
  options.memory = memory;
  options.srq = srq;
  return options;
}

}  // namespace

TEST_CASE("each queue pair has receives of its own", "[rdma-sink]") {
  const Shares rc = share_out(options_with({}), hello_of(4), kDevice);
  CHECK(rc.length == 1U << 18);
  CHECK(rc.slots == 262);
  CHECK(rc.receives == 128);
  CHECK(rc.capacity == 261);
  CHECK(rc.completions == 4 * 261);
  CHECK(rc.live);
  const Shares uc = share_out(options_with({}), hello_of(4, roce::Transport::kUc), kDevice);
  CHECK(uc.receives == 1024);
  CHECK(uc.completions == 4 * 1024);
  CHECK_FALSE(uc.live);
}

TEST_CASE("a shared receive queue has the receives of all queue pairs", "[rdma-sink]") {
  const Shares s = share_out(options_with(20'000, 16U << 20), hello_of(2000), kDevice);
  CHECK(s.receives == 20'000);
  CHECK(s.capacity == 20'000);
  CHECK(s.completions == 20'000);
  CHECK_FALSE(s.live);  // one QP may use all receives, and so overwrite messages before they are checked
  CHECK(share_out(options_with(100), hello_of(4), kDevice).live);
}

TEST_CASE("a shared receive queue must fit the device", "[rdma-sink]") {
  CHECK(missing_feature(options_with({}), {}).empty());
  CHECK(missing_feature(options_with(30'000), kDevice).empty());
  CHECK_THAT(missing_feature(options_with(30'001), kDevice), Contains("fix: --srq 30000"));
  CHECK_THAT(missing_feature(options_with(1), {.max_cqe = 100, .max_qp_wr = 100}),
             Contains("no shared receive"));
}

TEST_CASE("the client and the options must agree on the layout of events", "[rdma-sink]") {
  const auto refusal = [](const Options& options, const Hello& hello) -> std::string {
    try {
      check_event_layout(options, hello);
    } catch (const Refusal& refused) {
      return refused.what();
    }
    return "";
  };
  Options options = options_with({});
  Hello hello = hello_of(2);
  CHECK(refusal(options, hello).empty());
  hello.events = {{.boards = 2, .builders = 1, .slots = 64, .slot = 16384, .piece = 8000}, 0};
  CHECK_THAT(
      refusal(options, hello),
      Contains("sends events; fix: rdma-sink --events --event-boards 2 --event-slots 64 --event-slot 16384 "
               "--event-piece 8000 --event-builders 1 --event-builder 0 --memory 2097152"));
  options.memory = 2U << 20;
  CHECK_FALSE(Contains("--memory").match(refusal(options, hello)));
  options.events.emplace().layout = hello.events->layout;
  CHECK(refusal(options, hello).empty());
  options.events->layout.piece = 4000;
  options.events->layout.boards = 3;
  CHECK_THAT(
      refusal(options, hello),
      Contains(
          "boards is 2, but --event-boards is 3, piece is 8000, but --event-piece is 4000; fix: rdma-sink"));
  CHECK_THAT(refusal(options, hello), Contains("--event-window 64"));
  hello.events.reset();
  CHECK(refusal(options, hello).empty());  // clients may omit the layout
}

TEST_CASE("resources that do not suffice are refused with the fix", "[rdma-sink]") {
  const auto refusal = [](const Options& options, const Hello& hello) -> std::string {
    try {
      share_out(options, hello, kDevice);
    } catch (const Refusal& refused) {
      return refused.what();
    }
    return "";
  };
  CHECK_THAT(refusal(options_with({}), hello_of(5000)), Contains("--max-qps 5000"));
  Hello large = hello_of(4);
  large.message_size = 1U << 20;
  CHECK_THAT(refusal(options_with({}), large), Contains("--memory 4194304"));
  Options many = options_with({});
  many.recvs = 2000;
  CHECK_THAT(refusal(many, hello_of(4)), Contains("smaller --recvs"));
}
