// SPDX-License-Identifier: BSD-3-Clause
#include "roce/message_layout.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using softfeb::Cdf;
using softfeb::MessageLengths;
using softfeb::Rng;
using softfeb::roce::MessageLayout;

namespace {

/// Iterates over messages and packets as a requester does, and compares each packet with the layout.
void walk(std::uint32_t message_length, std::uint32_t pmtu, std::uint64_t source_length, unsigned packets) {
  INFO("message " << message_length << " pmtu " << pmtu << " source " << source_length);
  const MessageLayout layout(message_length, pmtu, source_length);
  std::uint64_t message = 0;
  std::uint64_t remaining_source = source_length;
  std::uint32_t done = 0;
  for (unsigned i = 0; i < packets; ++i) {
    const bool ends = source_length != 0 && message_length != 0;
    const auto length = static_cast<std::uint32_t>(
        ends ? std::min<std::uint64_t>(message_length, remaining_source) : message_length);
    const auto at = layout.locate(i);
    REQUIRE(at.message == message);
    REQUIRE(at.message_offset == done);
    REQUIRE(at.stream_offset == message * message_length + done);
    REQUIRE(at.length == std::min(pmtu, length - done));
    REQUIRE(at.last == (length - done <= pmtu));
    REQUIRE(layout.length_of(message) == length);
    done += at.length;
    if (!at.last) continue;
    ++message;
    done = 0;
    if (ends && (remaining_source -= length) == 0) remaining_source = source_length;
  }
}

}  // namespace

TEST_CASE("layout: every packet of every pass is at the requester's position", "[layout]") {
  for (const std::uint32_t length : {0U, 1U, 255U, 256U, 257U, 512U, 1000U}) {
    for (const std::uint64_t source : {0U, 1U, 200U, 256U, 1000U, 1024U, 2000U, 2001U, 2257U, 5000U}) {
      walk(length, 256, source, 200);
    }
  }
}

TEST_CASE("layout: passes are counted in messages and packets", "[layout]") {
  const MessageLayout file(1000, 256, 2500);
  CHECK(file.messages_per_pass() == 3);
  CHECK(file.packets_per_message() == 4);
  CHECK(file.packets_per_pass() == 4 + 4 + 2);
  const auto far = file.locate((std::uint64_t{1} << 40) * 10 + 9);
  CHECK(far.message == (std::uint64_t{1} << 40) * 3 + 2);
  CHECK(far.message_offset == 256);
  CHECK(far.length == 244);
  CHECK(far.last);
  CHECK(MessageLayout(1000, 256).messages_per_pass() == 0);
}

TEST_CASE("layout: the longest message", "[layout]") {
  const MessageLayout layout(0x8000'0000, 256);
  const auto at = layout.locate((std::uint64_t{3} << 23) - 1);
  CHECK(at.message == 2);
  CHECK(at.message_offset == 0x8000'0000 - 256);
  CHECK(at.last);
}

TEST_CASE("layout: drawn lengths, from any packet to any other", "[layout]") {
  const Cdf cdf({{0, 0.0}, {256, 0.3}, {256, 0.4}, {3000, 1.0}});
  const MessageLengths lengths{&cdf, 12};
  const MessageLayout layout(lengths, 3000, 256);
  std::vector<MessageLayout::Place> all;
  for (std::uint64_t message = 0; message < 300; ++message) {
    const std::uint32_t length = lengths.at(message);
    CHECK(layout.length_of(message) == length);
    for (std::uint32_t offset = 0; offset < length; offset += 256) {
      const std::uint32_t left = length - offset;
      all.push_back({message, message * 3000 + offset, offset, std::min(left, 256U), left, left <= 256});
    }
  }
  const auto same = [](const MessageLayout::Place& a, const MessageLayout::Place& b) {
    return a.message == b.message && a.stream_offset == b.stream_offset &&
           a.message_offset == b.message_offset && a.length == b.length && a.remaining == b.remaining &&
           a.last == b.last;
  };
  Rng rng(1);
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    CHECK(same(layout.locate(i), all[i]));
    const std::uint64_t known = rng.below(all.size());
    CHECK(same(layout.locate_from(all[known], known, i), all[i]));
    if (all[i].last) continue;
    MessageLayout::Place next = all[i];
    layout.advance(next);
    CHECK(same(next, all[i + 1]));
  }
}
