// SPDX-License-Identifier: BSD-3-Clause
#include "detector/counter_payload.hpp"
#include "detector/payload_pools.hpp"
#include "roce/icrc.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

namespace {

using Bytes = std::vector<std::uint8_t>;
using SizeShape = FragmentSizes::Shape;

Bytes data_of(const EventPayload& payload, std::uint64_t event, std::uint32_t board) {
  const std::uint32_t size = std::min(payload.size(event, board), payload.shape().largest);
  const std::uint8_t* const p = payload.bytes(event, board, 0, size);
  REQUIRE(p != nullptr);
  return {p, p + size};
}

/// Checks that the CRC of each piece equals the CRC of its bytes.
void check_crcs(const EventPayload& payload, std::uint64_t event, std::uint32_t board) {
  const Bytes data = data_of(payload, event, board);
  const std::uint32_t piece = payload.shape().piece;
  for (std::uint32_t at = 0; at < data.size(); at += piece) {
    const auto length = std::min(piece, static_cast<std::uint32_t>(data.size()) - at);
    CHECK(payload.crc(event, board, at, length) == roce::crc32(0, ByteSpan(data).subspan(at, length)));
  }
  if (data.size() > 2) CHECK(payload.crc(event, board, 1, 1) == roce::crc32(0, ByteSpan(data).subspan(1, 1)));
}

CameraPoolConfig small_pool(PayloadKind kind) {
  return {.camera = {.boards = 6, .channels = 4, .samples = 30, .images = 5},
          .kind = kind,
          .suppression = {450, 2},
          .boards = {0, 6},
          .piece = 100};
}

EventHeader header_for(const EventPayload& payload, std::uint64_t event, std::uint16_t board) {
  const EventPayload::Shape& s = payload.shape();
  return {.event = event,
          .board = board,
          .kind = s.kind,
          .total = payload.size(event, board),
          .channels = s.channels,
          .samples = s.samples};
}

}  // namespace

TEST_CASE("fragment sizes follow their distribution", "[detector][payload]") {
  CHECK(FragmentSizes{.min = 7, .max = 7}.at(5, 6) == 7);
  const FragmentSizes uniform{100, 300, SizeShape::kUniform, 1},
      exponential{100, 1100, SizeShape::kExponential, 1};
  double sum = 0, sum_exponential = 0;
  constexpr int kDraws = 20'000;
  std::uint32_t least = UINT32_MAX, most = 0, longest = 0;
  for (std::uint64_t e = 0; e < kDraws; ++e) {
    const std::uint32_t size = uniform.at(e, 3), other = exponential.at(e, 3);
    least = std::min(least, size);
    most = std::max(most, size);
    longest = std::max(longest, other);
    CHECK(other >= 100);
    sum += size;
    sum_exponential += other;
  }
  CHECK(least == 100);
  CHECK(most == 300);
  CHECK(longest == 1100);
  CHECK(sum / kDraws == Approx(200).epsilon(0.01));
  // A fraction e^-4 of the exponentially distributed sizes would exceed the maximum. These sizes are reduced
  // to the maximum.
  CHECK(sum_exponential / kDraws == Approx(100 + 250 * (1 - std::exp(-4.0))).epsilon(0.02));
  CHECK(uniform.at(1, 2) != uniform.at(2, 1));
  CHECK(FragmentSizes{0, UINT32_MAX, SizeShape::kUniform, 1}.at(0, 0) == 2'978'611'956);
}

TEST_CASE("counter payloads count from event and board", "[detector][payload]") {
  CHECK_THROWS_AS(CounterPayload({.min = 2, .max = 1}, 100, 1000), std::invalid_argument);
  CounterPayload payload({.min = 1000, .max = 1000}, 300, UINT32_MAX);
  const Bytes data = data_of(payload, 0x1'0000'0050, 3);
  REQUIRE(data.size() == 1000);
  for (std::size_t k = 0; k < 1000; ++k) CHECK(data[k] == ((0x50 + 3 + k) & 0xff));
  for (std::uint64_t e = 0; e < 300; ++e) check_crcs(payload, e, 7);
  CHECK(payload.bytes(0, 0, 0, 1001) == nullptr);
  CHECK(payload.bytes(0, 0, UINT32_MAX, 2) == nullptr);
  Bytes memory(payload.memory_bytes());
  payload.move_to(memory);
  CHECK(data_of(payload, 0x50, 3) == data);
  CHECK(payload.bytes(0, 0, 0, 1) >= memory.data());
  CHECK_THROWS_AS(payload.move_to(MutableByteSpan(memory).first(10)), std::invalid_argument);
}

TEST_CASE("counter payloads of varying size are cut at the slot", "[detector][payload]") {
  const CounterPayload payload({0, 500, SizeShape::kUniform, 9}, 128, 400);
  bool cut = false;
  for (std::uint64_t e = 0; e < 100; ++e) {
    check_crcs(payload, e, 1);
    cut |= payload.size(e, 1) > 400;
  }
  CHECK(cut);
}

TEST_CASE("camera pools decode to the drawn samples", "[detector][payload]") {
  const auto packed = make_camera_pool(small_pool(PayloadKind::kWaveform12));
  const auto wide = make_camera_pool(small_pool(PayloadKind::kWaveform16));
  const auto roi = make_camera_pool(small_pool(PayloadKind::kRoi));
  CHECK(roi->shape().flags == kSuppressed);
  CameraImages camera(small_pool(PayloadKind::kRoi).camera);
  std::vector<std::uint16_t> out(4 * 30);
  bool suppressed = false, kept = false;
  for (std::uint64_t e = 0; e < 20; ++e) {
    for (std::uint32_t b = 0; b < 6; ++b) {
      const auto drawn = camera.draw(packed->image_of(e), b);
      REQUIRE(decode_waveforms(PayloadKind::kWaveform12, data_of(*packed, e, b), 4, 30, out.data()));
      CHECK(std::equal(drawn.begin(), drawn.end(), out.begin()));
      REQUIRE(decode_waveforms(PayloadKind::kWaveform16, data_of(*wide, e, b), 4, 30, out.data()));
      CHECK(std::equal(drawn.begin(), drawn.end(), out.begin()));
      REQUIRE(decode_waveforms(PayloadKind::kRoi, data_of(*roi, e, b), 4, 30, out.data()));
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool there = out[i] != kNoSample;
        if (there) CHECK(out[i] == drawn[i]);
        if (!there) CHECK(drawn[i] < 450);
        (there ? kept : suppressed) = true;
      }
      check_crcs(*packed, e, b);
      check_crcs(*roi, e, b);
    }
  }
  CHECK(suppressed);
  CHECK(kept);
}

TEST_CASE("images are scattered over events", "[detector][payload]") {
  const auto pool = make_camera_pool(small_pool(PayloadKind::kWaveform12));
  CHECK(pool->images() == 5);
  CHECK(pool->image_of(0) == 0);
  CHECK(pool->image_of(1) == 0x9e37'79b1U % 5);
  CHECK(pool->image_of(0x1'0000'0001) == 0x9e37'79b1U % 5);
  CHECK(pool->image_of(3) == static_cast<std::uint32_t>(3 * 0x9e37'79b1ULL) % 5);
}

TEST_CASE("a pool of a few boards has the same bytes as that of all", "[detector][payload]") {
  CameraPoolConfig config = small_pool(PayloadKind::kWaveform12);
  const auto all = make_camera_pool(config);
  config.boards = {4, 2};
  const auto some = make_camera_pool(config);
  CHECK(data_of(*some, 7, 4) == data_of(*all, 7, 4));
  CHECK(data_of(*some, 7, 5) == data_of(*all, 7, 5));
  CHECK(some->size(7, 3) == 0);
  CHECK(some->bytes(7, 6, 0, 1) == nullptr);
  CHECK(some->memory_bytes() == all->memory_bytes() / 3);
  config.boards = {5, 2};
  CHECK_THROWS_AS(make_camera_pool(config), std::invalid_argument);
  config.kind = PayloadKind::kCounter;
  CHECK_THROWS_AS(make_camera_pool(config), std::invalid_argument);
}

TEST_CASE("a pool may move to memory of the port", "[detector][payload]") {
  const auto pool = make_camera_pool(small_pool(PayloadKind::kWaveform12));
  const Bytes before = data_of(*pool, 9, 2);
  Bytes memory(pool->memory_bytes() + 5);
  CHECK_THROWS_AS(pool->move_to(MutableByteSpan(memory).first(10)), std::invalid_argument);
  pool->move_to(memory);
  CHECK(data_of(*pool, 9, 2) == before);
  const std::uint8_t* const at = pool->bytes(9, 2, 0, 1);
  CHECK(at >= memory.data());
  CHECK(at < memory.data() + memory.size());
}

TEST_CASE("beamlets are noise with a tone that moves", "[detector][payload]") {
  const auto pool = make_beamlet_pool({.beamlets = 10, .times = 16, .images = 4, .boards = {2, 2}});
  const Bytes data = data_of(*pool, 0, 2);
  REQUIRE(data.size() == 10 * 16 * kBeamletSampleBytes);
  const std::uint32_t image = pool->image_of(0);
  for (std::uint32_t t = 0; t < 16; ++t) {
    for (std::uint32_t b = 0; b < 10; ++b) {
      const auto* const s = reinterpret_cast<const std::int8_t*>(&data[(t * 10 + b) * kBeamletSampleBytes]);
      const double power = std::hypot(s[0], s[1]);
      CHECK((power > 32) == (b == image));
    }
  }
  CHECK(data_of(*pool, 0, 3) != data);
  check_crcs(*pool, 0, 3);
}

TEST_CASE("a recording is replayed event by event", "[detector][payload]") {
  const Bytes a{1, 2, 3}, b{4, 5}, c{6};
  const std::vector<RecordedFragment> recording{{90, 0, a}, {20, 1, b}, {20, 0, c}, {90, 0, b}};
  const auto pool = make_replay_pool(recording, {.boards = {0, 2}});
  CHECK(pool->images() == 2);
  CHECK(data_of(*pool, 0, 0) == c);
  CHECK(data_of(*pool, 0, 1) == b);
  CHECK(data_of(*pool, 1, 0) == a);
  CHECK(pool->size(1, 1) == 0);
  CHECK(data_of(*pool, 2, 0) == c);
  CHECK(pool->shape().kind == PayloadKind::kReplay);
  CHECK_THROWS_AS(make_replay_pool({}, {}), std::invalid_argument);
}

TEST_CASE("a receiver finds every wrong byte", "[detector][payload]") {
  const auto pool = make_camera_pool(small_pool(PayloadKind::kWaveform12));
  const EventHeader header = header_for(*pool, 11, 4);
  Bytes data = data_of(*pool, 11, 4);
  CHECK_FALSE(compare_payload(*pool, header, data).any());
  data[3] ^= 1;
  data[170] ^= 0x80;
  CHECK(compare_payload(*pool, header, data).bytes == 2);
  EventHeader piece = header;
  piece.offset = 100;
  CHECK(compare_payload(*pool, piece, ByteSpan(data).subspan(100)).bytes == 1);
  data.push_back(0);
  CHECK(compare_payload(*pool, header, data).bytes == 3);
  piece.offset = UINT32_MAX;
  CHECK(compare_payload(*pool, piece, data).bytes == data.size());
  EventHeader other = header;
  other.total += 1;
  CHECK(compare_payload(*pool, other, {}).total);
  other = header;
  other.kind = PayloadKind::kWaveform16;
  CHECK(compare_payload(*pool, other, {}).kind);
  other = header;
  other.board = 77;
  CHECK(compare_payload(*pool, other, data).bytes == data.size());
}
