// SPDX-License-Identifier: BSD-3-Clause
#include "detector/waveform_codec.hpp"

#include "base/rng.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Samples = std::vector<std::uint16_t>;

Bytes roi_of(const Samples& channel, Suppression suppression) {
  Bytes out;
  append_roi(channel, 3, suppression, out);
  return out;
}

bool decodes(PayloadKind kind, const Bytes& payload, std::uint16_t channels, std::uint16_t samples) {
  Samples out(std::size_t{channels} * samples);
  return decode_waveforms(kind, payload, channels, samples, out.data());
}

}  // namespace

TEST_CASE("two samples of 12 bits take three bytes", "[detector][payload]") {
  Bytes out;
  append_waveform12(Samples{0x123, 0x456, 0x789}, out);
  CHECK(out == Bytes{0x23, 0x61, 0x45, 0x89, 0x07});
  CHECK(out.size() == packed12_bytes(3));
  CHECK(packed12_bytes(64) * 49 == 4704);
}

TEST_CASE("waveforms survive both formats", "[detector][payload]") {
  Rng rng(1);
  for (const std::uint16_t samples : {1, 2, 7, 64}) {
    Samples in(5U * samples), out(in.size());
    for (auto& s : in) s = static_cast<std::uint16_t>(rng.below(4096));
    Bytes packed, wide;
    for (std::size_t c = 0; c < 5; ++c) {
      append_waveform12(std::span(in).subspan(c * samples, samples), packed);
      append_waveform16(std::span(in).subspan(c * samples, samples), wide);
    }
    REQUIRE(decode_waveforms(PayloadKind::kWaveform12, packed, 5, samples, out.data()));
    CHECK(out == in);
    out.assign(out.size(), 0);
    REQUIRE(decode_waveforms(PayloadKind::kWaveform16, wide, 5, samples, out.data()));
    CHECK(out == in);
    packed.push_back(0);
    CHECK_FALSE(decodes(PayloadKind::kWaveform12, packed, 5, samples));
    wide.pop_back();
    CHECK_FALSE(decodes(PayloadKind::kWaveform16, wide, 5, samples));
  }
}

TEST_CASE("zero suppression keeps the samples around a threshold", "[detector][payload]") {
  CHECK(roi_of({1, 2, 3}, {4, 1}).empty());
  // The block header contains channel 3, first sample 1, 3 samples, and a reserved field. The samples 2, 5
  // and 1 and padding follow.
  CHECK(roi_of({1, 2, 5, 1, 0}, {5, 1}) == Bytes{3, 0, 1, 0, 3, 0, 0, 0, 2, 0, 5, 0, 1, 0, 0, 0});
  CHECK(roi_of({9, 0, 0, 0}, {9, 0}).size() == 12);
  // Adjacent blocks are merged. A gap of one sample is enough to separate two blocks.
  CHECK(roi_of({9, 0, 0, 9}, {9, 1}).size() == 16);
  CHECK(roi_of({9, 0, 0, 0, 9}, {9, 1}).size() == 24);
  CHECK(roi_of({9, 0, 0, 9}, {9, 100}).size() == 16);
}

TEST_CASE("a suppressed payload leaves the other samples out", "[detector][payload]") {
  Bytes payload;
  append_roi(Samples{0, 8, 0, 0, 9}, 0, {8, 0}, payload);
  append_roi(Samples{0, 0, 0, 0, 0}, 1, {8, 0}, payload);
  append_roi(Samples{7, 8, 9, 0, 0}, 2, {8, 1}, payload);
  Samples out(15);
  REQUIRE(decode_waveforms(PayloadKind::kRoi, payload, 3, 5, out.data()));
  constexpr std::uint16_t kNo = kNoSample;
  CHECK(out == Samples{kNo, 8, kNo, kNo, 9, kNo, kNo, kNo, kNo, kNo, 7, 8, 9, 0, kNo});
}

TEST_CASE("false blocks are refused", "[detector][payload]") {
  const auto block = [](std::uint16_t channel, std::uint16_t first, std::uint16_t count, std::size_t bytes) {
    Bytes out(bytes);
    if (bytes >= 6) {
      store_le16(&out[0], channel);
      store_le16(&out[2], first);
      store_le16(&out[4], count);
    }
    return decodes(PayloadKind::kRoi, out, 2, 10);
  };
  CHECK(block(1, 0, 10, 28));
  CHECK(block(1, 10, 0, 8));
  CHECK_FALSE(block(2, 0, 1, 12));
  CHECK_FALSE(block(1, 1, 10, 28));
  CHECK_FALSE(block(1, 0xffff, 0xffff, 28));
  CHECK_FALSE(block(1, 0, 10, 27));
  CHECK_FALSE(block(1, 0, 1, 13));
  CHECK_FALSE(block(1, 0, 1, 7));
  CHECK_FALSE(decodes(PayloadKind::kCounter, Bytes(40), 2, 10));
  CHECK_FALSE(decodes(static_cast<PayloadKind>(200), Bytes(40), 2, 10));
}
