// SPDX-License-Identifier: BSD-3-Clause
#include "service/message_limit.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using service::MessageLimit;

namespace {

unsigned admitted(MessageLimit& limit, const std::string& text, unsigned times, Time now) {
  unsigned n = 0;
  for (unsigned i = 0; i < times; ++i) n += limit.admit(text + std::to_string(i), now).admitted ? 1 : 0;
  return n;
}

}  // namespace

TEST_CASE("a message that repeats is limited, whatever its numbers are") {
  MessageLimit limit;
  CHECK(admitted(limit, "board feb0: connection closed after ", 100, 0) == MessageLimit::kMost);
  CHECK(admitted(limit, "board feb0: connected to ", 100, 0) == MessageLimit::kMost);
  CHECK_FALSE(limit.admit("board feb0: connected to 7", MessageLimit::kWindow - 1).admitted);

  const auto next = limit.admit("board feb0: connected to 8", MessageLimit::kWindow);
  CHECK(next.admitted);
  CHECK(next.suppressed == "81 more messages were suppressed: board feb#: connected to #");
  CHECK(limit.admit("board feb0: connected to 9", MessageLimit::kWindow).suppressed.empty());
}

TEST_CASE("at the end, the limit reports what it has not reported") {
  MessageLimit limit;
  CHECK(limit.flush().empty());
  admitted(limit, "a ", MessageLimit::kMost + 3, 0);
  admitted(limit, "b ", 2, 0);
  CHECK(limit.flush() == std::vector<std::string>{"3 more messages were suppressed: a #"});
  CHECK(limit.flush().empty());
}

TEST_CASE("the memory for messages is limited") {
  MessageLimit limit;
  const auto kind = [](std::size_t i) {
    std::string text;
    for (; i != 0; i /= 16) text += static_cast<char>('a' + i % 16);
    return "message " + text;
  };
  // "first" reaches its limit. After more than kKinds kinds of messages, the object forgets "first", because
  // it is the oldest kind.
  for (unsigned i = 0; i < MessageLimit::kMost; ++i) CHECK(limit.admit("first", 0).admitted);
  CHECK_FALSE(limit.admit("first", 0).admitted);
  for (std::size_t i = 1; i <= MessageLimit::kKinds; ++i) CHECK(limit.admit(kind(i), i).admitted);
  CHECK(limit.admit("first", 1000).admitted);
}
