// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/night_sky.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::detector {

/// Position of a pixel in a camera. Both the modules (boards) of the camera and the pixels (channels) of a
/// module form grids that are filled row by row. A row has √n elements, rounded up: a module of 49 channels
/// is a square of 7 · 7 pixels.
struct CameraGrid {
  std::uint32_t columns = 1;  ///< modules in a row of the camera: √boards, rounded up
  std::uint32_t rows = 1;
  std::uint32_t side = 1;  ///< pixels in a row of a module: √channels, rounded up

  static CameraGrid of(std::uint32_t boards, std::uint32_t channels);
  std::uint32_t x(std::uint32_t board, std::uint32_t channel) const {
    return board % columns * side + channel % side;
  }
  std::uint32_t y(std::uint32_t board, std::uint32_t channel) const {
    return board / columns * side + channel / side;
  }
};

/// Generates what a camera records: pedestal, electronic noise, night-sky pulses, and an ellipse of light
/// that moves through the camera from image to image. Samples have 12 bits, and the sampling rate is 1 GS/s.
/// All arithmetic uses integers, so that boards and receivers on different machines generate the same
/// samples.
class CameraImages {
 public:
  struct Config {
    std::uint32_t boards = 143;
    std::uint16_t channels = 49;
    std::uint16_t samples = 64;
    std::uint32_t images = 64;
    std::uint64_t seed = 1;
    std::uint16_t pedestal = 400;  ///< ADC counts
    std::uint64_t night_sky_hz = 1'000'000'000;
    std::uint16_t light = 60;  ///< photoelectrons of the brightest pixel; 0 means that there is no ellipse
  };
  static constexpr int kLargestSample = 4095;
  /// Pulse of one photoelectron: ADC counts in consecutive nanoseconds.
  static constexpr int kPulse[] = {1, 4, 7, 8, 6, 4, 2, 1};
  static constexpr std::size_t kPulseLength = sizeof kPulse / sizeof *kPulse;

  /// Throws std::invalid_argument if the night-sky rate is too high (see NightSky).
  explicit CameraImages(const Config& config);

  const Config& config() const { return config_; }
  /// Generates the samples of all channels of a board: [channel][sample]. The samples depend only on the
  /// configuration, the image and the board. The result is valid until the next call.
  std::span<const std::uint16_t> draw(std::uint32_t image, std::uint32_t board);
  /// Photoelectrons that the ellipse adds to a pixel.
  std::uint32_t light(std::uint32_t image, std::uint32_t board, std::uint32_t channel) const;

 private:
  struct Ellipse;

  Ellipse ellipse(std::uint32_t image) const;
  std::uint32_t light_in(const Ellipse& e, std::uint32_t board, std::uint32_t channel) const;
  void draw_channel(Rng& rng, std::uint32_t light, std::uint16_t* out);

  Config config_;
  CameraGrid grid_;
  NightSky night_sky_;
  /// Pedestal minus the mean signal of the night sky, in ADC counts. The mean is subtracted because the
  /// camera's AC coupling removes it from the signal.
  int baseline_;
  std::vector<std::uint16_t> samples_;
  /// Photoelectrons in each nanosecond. Begins kPulseLength − 1 ns before the window, because earlier
  /// photoelectrons also contribute to the first samples.
  std::vector<int> photons_;
};

}  // namespace softfeb::detector
