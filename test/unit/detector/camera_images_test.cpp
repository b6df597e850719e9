// SPDX-License-Identifier: BSD-3-Clause
#include "detector/camera_images.hpp"

#include "roce/icrc.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

namespace {

struct Moments {
  double mean = 0;
  double sigma = 0;
};

template <typename Values>
Moments moments_of(const Values& values) {
  double sum = 0, squares = 0;
  for (const auto v : values) {
    sum += v;
    squares += static_cast<double>(v) * v;
  }
  const double n = static_cast<double>(values.size());
  return {sum / n, std::sqrt(squares / n - sum * sum / n / n)};
}

CameraImages::Config small_camera() {
  return {.boards = 4, .channels = 9, .samples = 500, .images = 8, .seed = 3};
}

}  // namespace

TEST_CASE("pixels form a grid of square modules", "[detector][payload]") {
  const CameraGrid grid = CameraGrid::of(143, 49);
  CHECK(grid.columns == 12);
  CHECK(grid.rows == 12);
  CHECK(grid.side == 7);
  CHECK(grid.x(13, 8) == 7 + 1);
  CHECK(grid.y(13, 8) == 7 + 1);
}

TEST_CASE("night-sky numbers have a Poisson distribution", "[detector][payload]") {
  CHECK_THROWS_AS(NightSky(NightSky::kHighestRate + 1), std::invalid_argument);
  CHECK(NightSky(0).draw(UINT32_MAX) == 0);
  for (const double mean : {0.1, 1.0, 8.0}) {
    const NightSky sky(static_cast<std::uint64_t>(mean * 1e9));
    // For each n, find by bisection the range of random numbers for which draw() returns at most n.
    double probability = std::exp(-mean), sum = 0;
    for (unsigned n = 0; n < 6; ++n) {
      sum += probability;
      probability *= mean / (n + 1);
      std::uint64_t low = 0, high = std::uint64_t{1} << 32;
      while (low < high) {
        const std::uint64_t middle = (low + high) / 2;
        if (sky.draw(static_cast<std::uint32_t>(middle)) <= n) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      CHECK(static_cast<double>(low) == Approx(sum * 0x1p32).margin(2));
    }
  }
}

TEST_CASE("the camera has the pedestal, noise and pulses that it claims", "[detector][payload]") {
  CameraImages::Config config = small_camera();
  config.light = 0;
  config.night_sky_hz = 0;
  const Moments dark = moments_of(CameraImages(config).draw(0, 0));
  CHECK(dark.mean == Approx(400).margin(0.4));
  CHECK(dark.sigma == Approx(5.7).epsilon(0.05));
  config.night_sky_hz = 1'000'000'000;
  const Moments sky = moments_of(CameraImages(config).draw(0, 0));
  double squares = 5.7 * 5.7;
  for (const int tap : CameraImages::kPulse) squares += tap * tap;
  CHECK(sky.mean == Approx(400).margin(2));
  CHECK(sky.sigma == Approx(std::sqrt(squares)).epsilon(0.07));
}

TEST_CASE("the light moves through the camera", "[detector][payload]") {
  const CameraImages camera({.boards = 143, .images = 64});
  const CameraGrid grid = CameraGrid::of(143, 49);
  const auto brightest = [&](std::uint32_t image) {
    std::uint32_t most = 0, x = 0, y = 0;
    for (std::uint32_t b = 0; b < 143; ++b) {
      for (std::uint32_t c = 0; c < 49; ++c) {
        if (camera.light(image, b, c) <= most) continue;
        most = camera.light(image, b, c);
        x = grid.x(b, c);
        y = grid.y(b, c);
      }
    }
    CHECK(most >= 50);
    CHECK(most <= 60);
    return std::pair{x, y};
  };
  const auto [x0, y0] = brightest(0);
  CHECK((x0 == 20 || x0 == 21));  // at a quarter of the camera's width of 84 pixels
  CHECK((y0 == 20 || y0 == 21));
  const auto [x1, y1] = brightest(16);
  CHECK(x1 > x0 + 7);
  CHECK(y1 > y0 + 35);
  CHECK(brightest(63).first > x1 + 28);
}

TEST_CASE("light adds to the samples of its pixel", "[detector][payload]") {
  CameraImages::Config config = small_camera(), dark = config;
  dark.light = 0;
  CameraImages camera(config), without(dark);
  const auto samples = camera.draw(2, 1);
  const auto reference = without.draw(2, 1);
  for (std::uint32_t c = 0; c < 9; ++c) {
    const std::size_t peak = c * 500U + 500 / 3 + 3;
    CHECK(samples[peak] - reference[peak] == static_cast<int>(8 * camera.light(2, 1, c)));
  }
}

TEST_CASE("samples are the same with every compiler", "[detector][payload]") {
  CameraImages camera(small_camera());
  const auto samples = camera.draw(5, 2);
  const ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(samples.data()), samples.size_bytes());
  CHECK(roce::crc32(0, bytes) == 0x9711'f0a6);
  camera.draw(6, 0);
  camera.draw(5, 2);
  CHECK(roce::crc32(0, bytes) == 0x9711'f0a6);
}

TEST_CASE("a sample stays within 12 bits", "[detector][payload]") {
  CameraImages::Config config = small_camera();
  config.pedestal = 3;
  config.light = 60'000;
  CameraImages camera(config);
  bool top = false, bottom = false;
  for (std::uint32_t b = 0; b < 4; ++b) {
    for (const std::uint16_t s : camera.draw(3, b)) {
      CHECK(s <= CameraImages::kLargestSample);
      top |= s == CameraImages::kLargestSample;
      bottom |= s == 0;
    }
  }
  CHECK(top);
  CHECK(bottom);
}
