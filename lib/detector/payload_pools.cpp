// SPDX-License-Identifier: BSD-3-Clause
#include "detector/payload_pools.hpp"

#include "base/rng.hpp"

#include <bit>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace softfeb::detector {

namespace {

using Bytes = std::vector<std::uint8_t>;
using Order = PayloadPool::Order;

void append_channel(const CameraPoolConfig& config, std::span<const std::uint16_t> channel,
                    std::uint16_t number, Bytes& out) {
  switch (config.kind) {
    case PayloadKind::kWaveform12:
      return append_waveform12(channel, out);
    case PayloadKind::kWaveform16:
      return append_waveform16(channel, out);
    default:
      return append_roi(channel, number, config.suppression, out);
  }
}

/// Returns a random number with mean 0 and σ = 4.
std::uint8_t beamlet_noise(Rng& rng) { return static_cast<std::uint8_t>(std::popcount(rng.next()) - 32); }

void append_beamlets(const BeamletPoolConfig& config, std::uint32_t image, std::uint32_t board, Bytes& out) {
  constexpr std::uint8_t kTone[] = {64, 0, static_cast<std::uint8_t>(-64), 0};
  Rng rng(Rng::mixed(config.seed, image, board));
  for (std::uint32_t time = 0; time < config.times; ++time) {
    for (std::uint32_t beamlet = 0; beamlet < config.beamlets; ++beamlet) {
      const bool tone = beamlet == image % config.beamlets;
      const std::uint8_t re = tone ? kTone[time % 4] : 0, im = tone ? kTone[(time + 3) % 4] : 0;
      for (int polarisation = 0; polarisation < 2; ++polarisation) {
        out.push_back(static_cast<std::uint8_t>(re + beamlet_noise(rng)));
        out.push_back(static_cast<std::uint8_t>(im + beamlet_noise(rng)));
      }
    }
  }
}

}  // namespace

std::unique_ptr<PayloadPool> make_camera_pool(const CameraPoolConfig& config) {
  const CameraImages::Config& camera = config.camera;
  if (config.kind != PayloadKind::kWaveform12 && config.kind != PayloadKind::kWaveform16 &&
      config.kind != PayloadKind::kRoi)
    throw std::invalid_argument("a camera's payload kind must be waveform12, waveform16 or roi");
  if (camera.samples == 0) throw std::invalid_argument("a camera's window must have at least one sample");
  if (std::uint64_t{config.boards.first} + config.boards.count > camera.boards)
    throw std::invalid_argument("the boards of a camera's pool must be in the camera");
  CameraImages images(camera);
  const auto draw = [&](std::uint32_t image, std::uint32_t board, Bytes& out) {
    const auto samples = images.draw(image, board);
    for (std::uint16_t c = 0; c < camera.channels; ++c)
      append_channel(config, samples.subspan(std::size_t{c} * camera.samples, camera.samples), c, out);
  };
  const bool suppressed = config.kind == PayloadKind::kRoi;
  const EventPayload::Shape shape{.kind = config.kind,
                                  .channels = camera.channels,
                                  .samples = camera.samples,
                                  .flags = suppressed ? std::uint16_t{kSuppressed} : std::uint16_t{0},
                                  .piece = config.piece,
                                  .largest = config.largest};
  return std::make_unique<PayloadPool>(shape, camera.images, config.boards, Order::kScattered, draw);
}

std::unique_ptr<PayloadPool> make_beamlet_pool(const BeamletPoolConfig& config) {
  const EventPayload::Shape shape{.kind = PayloadKind::kBeamlets,
                                  .channels = config.beamlets,
                                  .samples = config.times,
                                  .piece = config.piece,
                                  .largest = config.largest};
  const auto draw = [&](std::uint32_t image, std::uint32_t board, Bytes& out) {
    append_beamlets(config, image, board, out);
  };
  return std::make_unique<PayloadPool>(shape, config.images, config.boards, Order::kScattered, draw);
}

std::unique_ptr<PayloadPool> make_replay_pool(std::span<const RecordedFragment> recording,
                                              const ReplayPoolConfig& config) {
  if (recording.empty()) throw std::invalid_argument("a recording to replay must have at least one fragment");
  std::set<std::uint64_t> numbers;
  std::map<std::pair<std::uint64_t, std::uint32_t>, ByteSpan> fragments;
  for (const RecordedFragment& f : recording) {
    numbers.insert(f.event);
    fragments.try_emplace({f.event, f.board}, f.bytes);
  }
  const std::vector<std::uint64_t> events(numbers.begin(), numbers.end());
  const auto draw = [&](std::uint32_t image, std::uint32_t board, Bytes& out) {
    const auto found = fragments.find({events[image], board});
    if (found != fragments.end()) out.insert(out.end(), found->second.begin(), found->second.end());
  };
  const EventPayload::Shape shape{.kind = PayloadKind::kReplay,
                                  .channels = config.channels,
                                  .samples = config.samples,
                                  .piece = config.piece,
                                  .largest = config.largest};
  return std::make_unique<PayloadPool>(shape, static_cast<std::uint32_t>(events.size()), config.boards,
                                       Order::kInOrder, draw);
}

}  // namespace softfeb::detector
