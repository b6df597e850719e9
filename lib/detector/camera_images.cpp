// SPDX-License-Identifier: BSD-3-Clause
#include "detector/camera_images.hpp"

#include <algorithm>

namespace softfeb::detector {

namespace {

constexpr int kSubpixel = 256;  // units of length per pixel

std::uint32_t root_up(std::uint32_t n) {
  std::uint32_t root = 1;
  while (std::uint64_t{root} * root < n) ++root;
  return root;
}

int pulse_area() {
  int sum = 0;
  for (const int tap : CameraImages::kPulse) sum += tap;
  return sum;
}

}  // namespace

/// The ellipse, with lengths in units of 1 / kSubpixel pixel. The unit vector (dx, dy)/5 is the direction of
/// the major axis.
struct CameraImages::Ellipse {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t dx = 0;
  std::int64_t dy = 0;
  std::int64_t length = 1;
  std::int64_t width = 1;
};

CameraGrid CameraGrid::of(std::uint32_t boards, std::uint32_t channels) {
  const std::uint32_t columns = root_up(boards);
  return {columns, (boards + columns - 1) / columns, root_up(channels)};
}

CameraImages::CameraImages(const Config& config)
    : config_(config),
      grid_(CameraGrid::of(config.boards, config.channels)),
      night_sky_(config.night_sky_hz),
      baseline_(config.pedestal - static_cast<int>(config.night_sky_hz *
                                                   static_cast<std::uint64_t>(pulse_area()) / 1'000'000'000)),
      samples_(std::size_t{config.channels} * config.samples),
      photons_(kPulseLength - 1 + config.samples) {}

CameraImages::Ellipse CameraImages::ellipse(std::uint32_t image) const {
  // From image to image, the major axis turns, and the centre moves through the inner half of the camera:
  // once across in x, and back and forth in y.
  constexpr std::int64_t kAxes[][2] = {{5, 0}, {4, 3}, {3, 4}, {0, 5}, {-3, 4}, {-4, 3}};
  const std::int64_t n = config_.images, i = image;
  const std::int64_t width = std::int64_t{grid_.columns} * grid_.side * kSubpixel;
  const std::int64_t height = std::int64_t{grid_.rows} * grid_.side * kSubpixel;
  // Over the n images, `swing` twice rises from 0 to n and falls again.
  const std::int64_t swing = std::min(4 * i % (2 * n), 2 * n - 4 * i % (2 * n));
  const auto& axis = kAxes[image % std::size(kAxes)];
  Ellipse e;
  e.x = width / 4 + width * i / (2 * n);
  e.y = height / 4 + height * swing / (2 * n);
  e.dx = axis[0];
  e.dy = axis[1];
  e.length = std::max<std::int64_t>(kSubpixel, std::min(width, height) / 8);
  e.width = std::max<std::int64_t>(kSubpixel / 2, e.length / 3);
  return e;
}

std::uint32_t CameraImages::light_in(const Ellipse& e, std::uint32_t board, std::uint32_t channel) const {
  const std::int64_t x = std::int64_t{grid_.x(board, channel)} * kSubpixel + kSubpixel / 2 - e.x;
  const std::int64_t y = std::int64_t{grid_.y(board, channel)} * kSubpixel + kSubpixel / 2 - e.y;
  const std::int64_t along = (x * e.dx + y * e.dy) / 5, across = (y * e.dx - x * e.dy) / 5;
  // The light is (1 − d²/4)², where d is the distance from the centre in units of the half axes. This
  // resembles a normal distribution, but is 0 where d is 2 or more. The numbers have 12 fractional bits.
  constexpr std::int64_t kOne = 4096;
  const std::int64_t rest =
      kOne -
      (along * along * kOne / (e.length * e.length) + across * across * kOne / (e.width * e.width)) / 4;
  if (rest <= 0) return 0;
  return static_cast<std::uint32_t>(config_.light * rest * rest / (kOne * kOne));
}

std::uint32_t CameraImages::light(std::uint32_t image, std::uint32_t board, std::uint32_t channel) const {
  return light_in(ellipse(image), board, channel);
}

std::span<const std::uint16_t> CameraImages::draw(std::uint32_t image, std::uint32_t board) {
  Rng rng(Rng::mixed(config_.seed, image, board));
  const Ellipse e = ellipse(image);
  for (std::uint32_t c = 0; c < config_.channels; ++c)
    draw_channel(rng, light_in(e, board, c), &samples_[std::size_t{c} * config_.samples]);
  return samples_;
}

void CameraImages::draw_channel(Rng& rng, std::uint32_t light, std::uint16_t* out) {
  for (std::size_t i = 0; i < photons_.size(); i += 2) {
    const std::uint64_t bits = rng.next();
    photons_[i] = static_cast<int>(night_sky_.draw(static_cast<std::uint32_t>(bits)));
    if (i + 1 < photons_.size())
      photons_[i + 1] = static_cast<int>(night_sky_.draw(static_cast<std::uint32_t>(bits >> 32)));
  }
  // The light arrives after a third of the window, so that the window also contains the pedestal before the
  // pulse and the tail after it.
  photons_[kPulseLength - 1 + config_.samples / 3] += static_cast<int>(light);
  for (std::size_t i = 0; i < config_.samples; ++i) {
    int value = baseline_ + draw_noise(rng);
    for (std::size_t k = 0; k < kPulseLength; ++k) value += kPulse[k] * photons_[i + kPulseLength - 1 - k];
    out[i] = static_cast<std::uint16_t>(std::clamp(value, 0, kLargestSample));
  }
}

}  // namespace softfeb::detector
