// SPDX-License-Identifier: BSD-3-Clause
#include "board/app_tx.hpp"

#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using board::AppTx;

namespace {

std::uint64_t word(const std::vector<std::uint8_t>& bytes, std::size_t i) {
  std::uint64_t value = 0;
  std::memcpy(&value, &bytes.at(i * 8), 8);
  return value;
}

/// Reads the next frame in pieces of `piece` bytes.
std::vector<std::uint8_t> frame(AppTx& tx, std::size_t piece) {
  std::vector<std::uint8_t> out;
  for (;;) {
    std::vector<std::uint8_t> part(piece);
    const AppTx::Filled filled = tx.fill(part);
    REQUIRE(filled.bytes > 0);
    out.insert(out.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(filled.bytes));
    if (filled.last) return out;
  }
}

}  // namespace

TEST_CASE("AppTx: frames count words after the frame number", "[app_tx]") {
  AppTx tx;
  CHECK_FALSE(tx.ready());
  tx.set_frame_size(5);
  tx.send_frames(3);
  for (std::uint64_t n = 0; n < 3; ++n) {
    CHECK(tx.ready());
    CHECK(tx.frame_count() == n);
    const auto f = frame(tx, 20);  // the frame is read two words at a time
    REQUIRE(f.size() == 40);
    CHECK(word(f, 0) == n);
    for (std::size_t i = 1; i < 5; ++i) CHECK(word(f, i) == i);
  }
  CHECK_FALSE(tx.ready());
  CHECK(tx.frame_count() == 0);
  std::vector<std::uint8_t> room(64);
  CHECK(tx.fill(room).bytes == 0);
}

TEST_CASE("AppTx: a burst keeps the frame size and number it started with", "[app_tx]") {
  AppTx tx;
  tx.set_frame_size(2);
  tx.send_frames(2);
  std::vector<std::uint8_t> one_word(8);
  tx.fill(one_word);
  CHECK(tx.word_count() == 1);
  tx.set_frame_size(0);  // has the same effect as 1
  tx.send_frames(1);
  tx.fill(one_word);
  CHECK(frame(tx, 8).size() == 16);
  CHECK(frame(tx, 8).size() == 8);
  CHECK_FALSE(tx.ready());
}

TEST_CASE("AppTx: continuous mode sends frames with number 0, then the requested burst", "[app_tx]") {
  AppTx tx;
  tx.set_frame_size(3);
  tx.set_continuous(true);
  tx.send_frames(2);
  for (int i = 0; i < 5; ++i) CHECK(word(frame(tx, 4096), 0) == 0);
  tx.set_continuous(false);
  CHECK(word(frame(tx, 4096), 0) == 0);
  CHECK(word(frame(tx, 4096), 0) == 1);
  CHECK_FALSE(tx.ready());
}

TEST_CASE("AppTx: a frame restarts after its link closed", "[app_tx]") {
  AppTx tx;
  tx.set_frame_size(4);
  tx.send_frames(2);
  frame(tx, 64);
  std::vector<std::uint8_t> part(16);
  tx.fill(part);
  tx.restart_frame();
  const auto f = frame(tx, 64);
  CHECK(f.size() == 32);
  CHECK(word(f, 0) == 1);
  CHECK_FALSE(tx.ready());
}

TEST_CASE("AppTx: less room than one word is no room", "[app_tx]") {
  AppTx tx;
  tx.send_frames(1);
  std::vector<std::uint8_t> room(7);
  CHECK(tx.fill(room).bytes == 0);
  CHECK(tx.fill({}).bytes == 0);
  CHECK(tx.ready());
}
