// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/event_header.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Payloads of kinds `waveform12`, `waveform16` and `roi`. Decoded waveforms are a matrix [channel][sample].
namespace softfeb::detector {

/// Value of samples that a `roi` payload does not contain.
inline constexpr std::uint16_t kNoSample = 0xffff;

/// Zero suppression: keeps all samples that are at least `threshold`, and `margin` samples before and after
/// each of them.
struct Suppression {
  std::uint16_t threshold = 0;
  std::uint16_t margin = 0;
};

/// Number of bytes that a channel with `samples` samples occupies in a `waveform12` payload. Two samples
/// occupy three bytes; the end is padded to a whole byte.
constexpr std::size_t packed12_bytes(std::size_t samples) { return (samples * 3 + 1) / 2; }

/// Both functions append one channel to `out`, in the format that the function's name contains. Samples of
/// kind `waveform12` must be below 4096.
void append_waveform12(std::span<const std::uint16_t> channel, std::vector<std::uint8_t>& out);
void append_waveform16(std::span<const std::uint16_t> channel, std::vector<std::uint8_t>& out);
/// Appends one block for each contiguous range of samples that are kept, and nothing if no sample is kept.
/// `number` is the channel's number.
void append_roi(std::span<const std::uint16_t> channel, std::uint16_t number, Suppression suppression,
                std::vector<std::uint8_t>& out);

/// Decodes the complete payload of a board into `channels` · `samples` values at `out`. The payload is
/// untrusted. Returns false if the kind has no waveforms, or if the format of the payload is not exactly that
/// of its kind. The contents of `out` are then undefined. Samples that a `roi` payload does not contain
/// become kNoSample.
bool decode_waveforms(PayloadKind kind, ByteSpan payload, std::uint16_t channels, std::uint16_t samples,
                      std::uint16_t* out);

}  // namespace softfeb::detector
