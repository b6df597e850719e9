// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/camera_images.hpp"
#include "detector/payload_pool.hpp"
#include "detector/waveform_codec.hpp"

#include <cstdint>
#include <memory>
#include <span>

/// Functions that make a PayloadPool for each payload kind except `counter`. EventPayload::Shape describes
/// their arguments `piece` and `largest`.
namespace softfeb::detector {

struct CameraPoolConfig {
  CameraImages::Config camera;
  PayloadKind kind = PayloadKind::kWaveform12;  ///< kWaveform12, kWaveform16 or kRoi
  Suppression suppression;                      ///< used for kRoi only
  PayloadPool::Boards boards{0, 143};           ///< the boards whose data are needed
  std::uint32_t piece = 8 * 1024;
  std::uint32_t largest = UINT32_MAX;
};
/// Creates a pool with the data of a camera. Throws std::invalid_argument if `kind` has no waveforms, if
/// `samples` is 0, or if a board of `boards` is not in the camera.
std::unique_ptr<PayloadPool> make_camera_pool(const CameraPoolConfig& config);

/// Beamlets of a radio telescope: [time][beamlet][polarisation][re, im], as signed 8-bit numbers. All
/// beamlets contain noise with σ = 4. Beamlet (image mod beamlets) also contains a tone with an amplitude of
/// 64 at a quarter of the sampling rate.
struct BeamletPoolConfig {
  std::uint16_t beamlets = 122;
  std::uint16_t times = 16;
  std::uint32_t images = 64;
  std::uint64_t seed = 1;
  PayloadPool::Boards boards{0, 1};
  std::uint32_t piece = 8 * 1024;
  std::uint32_t largest = UINT32_MAX;
};
inline constexpr std::uint32_t kBeamletSampleBytes = 4;
std::unique_ptr<PayloadPool> make_beamlet_pool(const BeamletPoolConfig& config);

/// A board's data in a recorded event.
struct RecordedFragment {
  std::uint64_t event = 0;
  std::uint32_t board = 0;
  ByteSpan bytes;
};
struct ReplayPoolConfig {
  std::uint16_t channels = 0;  ///< number of channels of the recording, written to event headers
  std::uint16_t samples = 0;
  PayloadPool::Boards boards{0, 1};
  std::uint32_t piece = 8 * 1024;
  std::uint32_t largest = UINT32_MAX;
};
/// Replays the events of a recording in the order of their numbers, and starts again after the last one. If a
/// board has no fragment in an event, it sends an empty fragment. If an event has several fragments of one
/// board, the first one is sent. The bytes are copied. Throws std::invalid_argument if there are no
/// fragments.
std::unique_ptr<PayloadPool> make_replay_pool(std::span<const RecordedFragment> recording,
                                              const ReplayPoolConfig& config);

}  // namespace softfeb::detector
