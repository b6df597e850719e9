// SPDX-License-Identifier: BSD-3-Clause
#include "report/camera_image.hpp"

#include "detector/waveform_codec.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using detector::EventHeader;
using detector::EventLayout;
using detector::kEventHeaderSize;

/// The waveforms of an event: [board][channel][sample].
struct Waveforms {
  std::uint64_t event = 0;
  std::uint16_t channels = 0;
  std::uint16_t samples = 0;
  std::vector<std::uint16_t> values;
};

/// The memory of a receiver. Its contents are untrusted.
class Memory {
 public:
  Memory(const EventLayout& layout, const std::uint8_t* begin) : layout_(layout), begin_(begin) {}

  /// Returns the header and the payload of piece `j` of a board in slot `k`; empty if they are damaged.
  std::optional<std::pair<EventHeader, ByteSpan>> piece(std::uint64_t k, std::uint32_t board,
                                                        std::uint32_t j) const {
    const std::uint64_t at = layout_.piece_address(j);
    if (at + kEventHeaderSize > layout_.slot) return std::nullopt;
    const ByteSpan room(begin_ + (k * layout_.boards + board) * layout_.slot + at, layout_.slot - at);
    const std::uint32_t length = load_le32(room.data() + 32);
    if (length > room.size() - kEventHeaderSize) return std::nullopt;
    EventHeader h;
    const ByteSpan message = room.first(kEventHeaderSize + length);
    if (detector::read_event_header(message, h) != detector::HeaderVerdict::kOk) return std::nullopt;
    return std::pair(h, message.subspan(kEventHeaderSize));
  }

  /// Returns all data of a board in slot `k`; empty if the data is damaged or incomplete.
  std::optional<std::pair<EventHeader, std::vector<std::uint8_t>>> whole(std::uint64_t k,
                                                                         std::uint32_t board) const {
    std::vector<std::uint8_t> bytes;
    const auto first = piece(k, board, 0);
    if (!first) return std::nullopt;
    for (std::uint32_t j = 0; j < layout_.pieces_of(first->first.total); ++j) {
      const auto p = piece(k, board, j);
      if (!p || p->first.event != first->first.event || p->first.offset != bytes.size()) return std::nullopt;
      bytes.insert(bytes.end(), p->second.begin(), p->second.end());
    }
    if (bytes.size() != first->first.total) return std::nullopt;
    return std::pair(first->first, std::move(bytes));
  }

 private:
  EventLayout layout_;
  const std::uint8_t* begin_;
};

std::optional<Waveforms> waveforms_in(const Memory& memory, std::uint64_t k, const EventLayout& layout) {
  Waveforms w;
  for (std::uint32_t b = 0; b < layout.boards; ++b) {
    const auto data = memory.whole(k, b);
    if (!data) return std::nullopt;
    const EventHeader& h = data->first;
    const std::size_t size = std::size_t{h.channels} * h.samples;
    if (b == 0) w = {h.event, h.channels, h.samples, {}};
    if (size == 0 || h.event != w.event || h.channels != w.channels || h.samples != w.samples)
      return std::nullopt;
    w.values.resize(w.values.size() + size);
    if (!detector::decode_waveforms(h.kind, data->second, h.channels, h.samples,
                                    w.values.data() + w.values.size() - size))
      return std::nullopt;
  }
  return w;
}

/// Returns pairs of the number of an event and its slot, according to the headers of the first board. The
/// newest event is first.
std::vector<std::pair<std::uint64_t, std::uint64_t>> newest_first(const Memory& memory,
                                                                  const EventLayout& layout) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (std::uint64_t k = 0; k < layout.slots; ++k) {
    if (const auto p = memory.piece(k, 0, 0)) found.emplace_back(p->first.event, k);
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

/// Returns the median of the samples, without missing samples.
double pedestal_of(std::vector<std::uint16_t> values) {
  std::erase(values, detector::kNoSample);
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string csv_of(const Waveforms& w) {
  const double pedestal = pedestal_of(w.values);
  std::string text = "event,board,channel,charge\n";
  for (std::size_t i = 0; i * w.samples < w.values.size(); ++i) {
    double charge = 0;
    for (std::size_t s = 0; s < w.samples; ++s) {
      const std::uint16_t value = w.values[i * w.samples + s];
      if (value != detector::kNoSample) charge += value - pedestal;
    }
    text += fmt::format("{},{},{},{:g}\n", w.event, i / w.channels, i % w.channels, charge);
  }
  return text;
}

}  // namespace

std::optional<std::string> camera_csv(const engine::EventReceiver& events) {
  const engine::EventReceiverConfig& c = events.config();
  const Memory memory(c.layout, c.memory);
  for (const auto& [event, k] : newest_first(memory, c.layout)) {
    if (const auto w = waveforms_in(memory, k, c.layout)) return csv_of(*w);
  }
  return std::nullopt;
}

}  // namespace softfeb::report
