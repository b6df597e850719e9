// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/camera_images.hpp"
#include "detector/payload_pool.hpp"
#include "detector/waveform_codec.hpp"

#include <cstdint>
#include <memory>
#include <span>

/// Pools of each payload kind. `piece` and `largest` of all of them: see EventPayload::Shape.
namespace softfeb::detector {

struct CameraPoolConfig {
  CameraImages::Config camera;
  PayloadKind kind = PayloadKind::kWaveform12;  ///< or kWaveform16, kRoi
  Suppression suppression;                      ///< kRoi
  PayloadPool::Boards boards{0, 143};           ///< those whose data are needed
  std::uint32_t piece = 8 * 1024;
  std::uint32_t largest = UINT32_MAX;
};
/// Throws std::invalid_argument if the kind has no waveforms, if samples is 0, or if boards are not in the
/// camera.
std::unique_ptr<PayloadPool> make_camera_pool(const CameraPoolConfig& config);

/// Beamlets of a radio telescope: [time][beamlet][polarisation][re, im], signed, 8 bits. Noise of σ 4 in all
/// beamlets; beamlet (image mod beamlets) also has a tone of amplitude 64 and a quarter of the sampling rate.
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
  std::uint16_t channels = 0;  ///< of the recording, for the headers
  std::uint16_t samples = 0;
  PayloadPool::Boards boards{0, 1};
  std::uint32_t piece = 8 * 1024;
  std::uint32_t largest = UINT32_MAX;
};
/// The events of a recording in the order of their numbers, repeated after the last. A board without a
/// fragment in an event has nothing to report. Of several fragments of a board in an event, the first is
/// sent. Copies the bytes. Throws std::invalid_argument if there are no fragments.
std::unique_ptr<PayloadPool> make_replay_pool(std::span<const RecordedFragment> recording,
                                              const ReplayPoolConfig& config);

}  // namespace softfeb::detector
