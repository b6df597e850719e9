// SPDX-License-Identifier: BSD-3-Clause
#include "detector/waveform_codec.hpp"

#include <algorithm>

namespace softfeb::detector {

namespace {

constexpr std::size_t kBlockHeader = 8;

constexpr std::size_t block_bytes(std::size_t count) { return (kBlockHeader + 2 * count + 3) / 4 * 4; }

void append16(std::uint16_t value, std::vector<std::uint8_t>& out) {
  out.push_back(static_cast<std::uint8_t>(value));
  out.push_back(static_cast<std::uint8_t>(value >> 8));
}

void append_block(std::span<const std::uint16_t> channel, std::uint16_t number, std::size_t first,
                  std::size_t end, std::vector<std::uint8_t>& out) {
  const std::size_t padded = out.size() + block_bytes(end - first);
  append16(number, out);
  append16(static_cast<std::uint16_t>(first), out);
  append16(static_cast<std::uint16_t>(end - first), out);
  append16(0, out);
  for (std::size_t i = first; i < end; ++i) append16(channel[i], out);
  out.resize(padded);
}

void unpack12(const std::uint8_t* p, std::size_t samples, std::uint16_t* out) {
  for (std::size_t i = 0; i + 1 < samples; i += 2, p += 3) {
    out[i] = static_cast<std::uint16_t>(p[0] | (p[1] & 0x0fU) << 8);
    out[i + 1] = static_cast<std::uint16_t>(p[1] >> 4 | p[2] << 4);
  }
  if (samples % 2 != 0) out[samples - 1] = static_cast<std::uint16_t>(p[0] | (p[1] & 0x0fU) << 8);
}

bool decode_roi(ByteSpan payload, std::uint16_t channels, std::uint16_t samples, std::uint16_t* out) {
  std::fill_n(out, std::size_t{channels} * samples, kNoSample);
  while (!payload.empty()) {
    if (payload.size() < kBlockHeader) return false;
    const std::uint8_t* const p = payload.data();
    const std::size_t channel = load_le16(p), first = load_le16(p + 2), count = load_le16(p + 4);
    if (channel >= channels || first + count > samples || block_bytes(count) > payload.size()) return false;
    for (std::size_t i = 0; i < count; ++i)
      out[channel * samples + first + i] = load_le16(p + kBlockHeader + 2 * i);
    payload = payload.subspan(block_bytes(count));
  }
  return true;
}

}  // namespace

void append_waveform12(std::span<const std::uint16_t> channel, std::vector<std::uint8_t>& out) {
  for (std::size_t i = 0; i < channel.size(); i += 2) {
    const std::uint32_t second = i + 1 < channel.size() ? channel[i + 1] : 0;
    const std::uint32_t both = channel[i] | second << 12;
    out.push_back(static_cast<std::uint8_t>(both));
    out.push_back(static_cast<std::uint8_t>(both >> 8));
    if (i + 1 < channel.size()) out.push_back(static_cast<std::uint8_t>(both >> 16));
  }
}

void append_waveform16(std::span<const std::uint16_t> channel, std::vector<std::uint8_t>& out) {
  for (const std::uint16_t sample : channel) append16(sample, out);
}

void append_roi(std::span<const std::uint16_t> channel, std::uint16_t number, Suppression suppression,
                std::vector<std::uint8_t>& out) {
  std::size_t first = 0, end = 0;  // range of samples of the current block
  for (std::size_t i = 0; i < channel.size(); ++i) {
    if (channel[i] < suppression.threshold) continue;
    const std::size_t from = i - std::min<std::size_t>(i, suppression.margin);
    if (from > end || end == 0) {
      if (end != 0) append_block(channel, number, first, end, out);
      first = from;
    }
    end = std::min(channel.size(), i + 1 + suppression.margin);
  }
  if (end != 0) append_block(channel, number, first, end, out);
}

bool decode_waveforms(PayloadKind kind, ByteSpan payload, std::uint16_t channels, std::uint16_t samples,
                      std::uint16_t* out) {
  switch (kind) {
    case PayloadKind::kWaveform12: {
      const std::size_t bytes = packed12_bytes(samples);
      if (payload.size() != channels * bytes) return false;
      for (std::size_t c = 0; c < channels; ++c)
        unpack12(payload.data() + c * bytes, samples, out + c * samples);
      return true;
    }
    case PayloadKind::kWaveform16: {
      const std::size_t count = std::size_t{channels} * samples;
      if (payload.size() != 2 * count) return false;
      for (std::size_t i = 0; i < count; ++i) out[i] = load_le16(payload.data() + 2 * i);
      return true;
    }
    case PayloadKind::kRoi:
      return decode_roi(payload, channels, samples, out);
    default:
      return false;
  }
}

}  // namespace softfeb::detector
