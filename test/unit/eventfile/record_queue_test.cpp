// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/record_queue.hpp"

#include <cstring>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using softfeb::eventfile::RecordQueue;

namespace {

/// Returns the size of record n, which depends on n. All its bytes have the value n mod 256.
std::size_t size_of(std::uint32_t n) { return 1 + n * 37 % 700; }

bool push(RecordQueue& queue, std::uint32_t n, std::size_t spare = 0) {
  std::uint8_t* const to = queue.reserve(size_of(n), spare);
  if (to == nullptr) return false;
  std::memset(to, static_cast<std::uint8_t>(n), size_of(n));
  queue.commit();
  return true;
}

bool pop(RecordQueue& queue, std::uint32_t n) {
  const auto record = queue.front();
  bool same = record.size() == size_of(n);
  for (const std::uint8_t byte : record) same = same && byte == static_cast<std::uint8_t>(n);
  queue.pop();
  return same;
}

}  // namespace

TEST_CASE("records come out as they went in, across the end of the memory") {
  RecordQueue queue(4096);
  REQUIRE(queue.capacity() == 4096);
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  bool same = true;
  for (int round = 0; round < 1000; ++round) {
    while (push(queue, in)) ++in;
    for (int i = 0; i < 1 + round % 5 && out != in; ++i) same = pop(queue, out++) && same;
  }
  while (out != in) same = pop(queue, out++) && same;
  CHECK(same);
  CHECK(in > 1000);
  CHECK(queue.front().empty());
  CHECK(queue.peak() <= 4096);
}

TEST_CASE("a record that was reserved but not committed does not exist") {
  RecordQueue queue(4096);
  REQUIRE(queue.reserve(100) != nullptr);
  CHECK(queue.front().empty());
  CHECK(queue.reserve(5000) == nullptr);
  CHECK(push(queue, 3));
  CHECK(pop(queue, 3));
}

TEST_CASE("spare bytes stay for other records") {
  RecordQueue queue(4096);
  std::uint32_t in = 0;
  while (push(queue, in, 1024)) ++in;
  CHECK(push(queue, in));
}

TEST_CASE("two threads share the queue") {
  RecordQueue queue(8192);
  constexpr std::uint32_t kRecords = 20'000;
  std::thread producer([&queue] {
    for (std::uint32_t n = 0; n < kRecords;) n += push(queue, n) ? 1 : 0;
  });
  bool same = true;
  for (std::uint32_t n = 0; n < kRecords;)
    if (!queue.front().empty()) same = pop(queue, n++) && same;
  producer.join();
  CHECK(same);
}
