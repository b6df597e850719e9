// SPDX-License-Identifier: BSD-3-Clause
// Pauses that a measured switch sends.
#include "report/measured_switch.hpp"

#include <algorithm>
#include <cstdlib>

namespace softfeb::report {

namespace {

using switchtest::Figure;

constexpr std::uint64_t kAlphaParts = 256;  // unit of fabric::PauseThresholds::xoff_alpha

/// Converts thresholds from bytes of frames to bytes of memory. A threshold that was found with frames of one
/// length corresponds to a whole number of frames, so it becomes the memory that the cells of these frames
/// occupy. A threshold that was found with several lengths stays as it is.
class ThresholdBytes {
 public:
  ThresholdBytes(const fabric::SwitchConfig& config, const Figure& xoff)
      : config_(config), frame_(range_of(xoff).high - range_of(xoff).low + 1) {
    if (range_of(xoff).high % frame_ != 0) frame_ = 0;
  }

  /// Converts bytes of frames to bytes of memory.
  std::uint64_t memory(std::uint64_t bytes) const {
    if (config_.memory.cell == 1 || frame_ == 0) return bytes;
    return bytes / frame_ * occupied(config_, frame_);
  }

 private:
  const fabric::SwitchConfig& config_;
  std::uint64_t frame_;  ///< length of the frames; 0 if they had several lengths
};

/// Returns by how many bytes a queue of `bytes` bytes is below the dynamic threshold, which is alpha/256
/// times the free memory (`buffer` − `bytes`). Returns 0 if the queue is not below the threshold.
std::uint64_t below_threshold(std::uint64_t alpha, std::uint64_t buffer, std::uint64_t bytes) {
  const std::uint64_t free = buffer - std::min(buffer, bytes);
  const std::uint64_t threshold = alpha * free / kAlphaParts;
  return threshold - std::min(threshold, bytes);
}

/// Increases the buffer size if necessary. `at` is the range of the number of bytes in one queue when the
/// switch paused. The memory must have room for these bytes, except for the frame that caused the pause.
void raise_memory(const WholeRange& at, MeasuredSwitch& out) {
  const std::uint64_t held = at.low - 1, last = at.high - held;
  std::uint64_t least = held;
  if (const std::uint64_t alpha = out.config.dynamic_alpha; alpha != 0)
    least = held * kAlphaParts / alpha + held - std::min(held, last);
  const WholeRange range = out.buffer.meet({least, UINT64_MAX});
  if (out.config.buffer < least && !range.empty()) out.config.buffer = roundest_size(range);
}

/// Returns the sizes of the memory for which a dynamic threshold lies between `at.low` − 1 and `at.high`
/// bytes, if no other sender uses memory.
WholeRange pool_of_threshold(const WholeRange& at, std::uint64_t alpha) {
  const auto pool = [&](std::uint64_t bytes) { return (bytes * (alpha + kAlphaParts) + alpha - 1) / alpha; };
  return {pool(at.low - 1), pool(at.high) - 1};
}

/// Finds the roundest alpha in the interval of the figure, and a memory size, which together explain XOFF and
/// agree with the numbers of frames that the queues held. The threshold depends on the memory size, so this
/// function changes the memory size if necessary. Returns false if there is no such alpha.
bool find_alpha(const WholeRange& at, const Figure& figure, MeasuredSwitch& out) {
  WholeRange parts = range_of(figure, kAlphaParts);
  parts.low = std::clamp<std::uint64_t>(parts.low, 1, kAlphaParts * kAlphaParts);
  parts.high = std::clamp<std::uint64_t>(parts.high, parts.low, kAlphaParts * kAlphaParts);
  std::uint64_t best = 0;
  WholeRange pool;
  for (std::uint64_t step = kAlphaParts * kAlphaParts; step != 0 && best == 0; step /= 2)
    for (std::uint64_t a = (parts.low + step - 1) / step * step; a <= parts.high && best == 0; a += step) {
      pool = pool_of_threshold(at, a).meet(out.buffer);
      if (!pool.empty()) best = a;
    }
  if (best == 0) return false;
  out.config.pause.xoff_alpha = static_cast<std::uint32_t>(best);
  if (pool.contains(out.config.buffer)) return true;
  out.config.buffer = roundest_size(pool);
  out.notes["buffer"] += "; the dynamic threshold of pauses is in proportion to it";
  return true;
}

void add_dynamic_xoff(const FigureIndex& figures, const ThresholdBytes& bytes, MeasuredSwitch& out) {
  const Figure& alpha = *figures.measured("xoff", "alpha");
  fabric::PauseThresholds& pause = out.config.pause;
  pause.xon = fabric::PauseThresholds::kNoXon;
  out.notes["pause.xoff_alpha"] = interval_note("xoff", alpha);
  const Figure* const xon = figures.measured("xoff", "xon_bytes");
  if (xon == nullptr) return out.unknown_key("pause.xon_offset", figures.why_not("xoff", "xon_bytes"));
  const WholeRange left = range_of(*xon);
  const auto offset = [&](std::uint64_t b) {
    return below_threshold(pause.xoff_alpha, out.config.buffer, bytes.memory(b));
  };
  const std::uint64_t most = offset(left.low), less = offset(left.high + 1);
  // The offset must be less than the greatest threshold, because otherwise the switch would never let senders
  // resume.
  const std::uint64_t greatest =
      std::min(out.config.buffer, out.config.buffer * pause.xoff_alpha / kAlphaParts);
  const WholeRange range{less == 0 ? 0 : std::min(less + 1, greatest - 1), std::min(most, greatest - 1)};
  pause.xon_offset = range.empty() ? range.high : roundest_size(range);
  out.notes["pause.xon_offset"] = "resumes at " + interval_note("xoff", *xon);
}

void add_fixed_xoff(const FigureIndex& figures, const WholeRange& at, const ThresholdBytes& bytes,
                    MeasuredSwitch& out) {
  fabric::PauseThresholds& pause = out.config.pause;
  pause.xoff = roundest_size(at);
  out.notes["pause.xoff"] = interval_note("xoff", *figures.measured("xoff", "xoff_bytes"));
  if (out.config.memory.cell != 1) out.notes["pause.xoff"] += " of frames, which occupy more";
  if (pause.xoff >= out.config.buffer) {
    pause.xoff = out.config.buffer - 1;
    out.notes["pause.xoff"] += "; lowered, because it must be below `buffer`";
  }
  pause.xon = pause.xoff / 2;
  const Figure* const xon = figures.measured("xoff", "xon_bytes");
  if (xon == nullptr) return out.unknown_key("pause.xon", figures.why_not("xoff", "xon_bytes"));
  const WholeRange left = range_of(*xon);
  const std::uint64_t low = bytes.memory(left.low), high = bytes.memory(left.high + 1) - 1;
  pause.xon = roundest_size({std::min(low, pause.xoff - 1), std::min(std::max(low, high), pause.xoff - 1)});
  out.notes["pause.xon"] = interval_note("xoff", *xon);
}

void add_headroom(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const bytes = figures.measured("headroom", "guaranteed_bytes");
  if (bytes == nullptr) {
    if (!figures.absent("headroom", "guaranteed_bytes"))
      out.unknown_key("pause.headroom", figures.why_not("headroom", "guaranteed_bytes"));
    return;
  }
  WholeRange range = range_of(*bytes);
  const std::uint64_t frame = range.high - range.low + 1;
  if (out.config.memory.cell != 1 && range.low % frame == 0) {
    const std::uint64_t n = range.low / frame, memory = occupied(out.config, frame);
    range = {n * memory, (n + 1) * memory - 1};
  }
  range.high = std::clamp(range.high, range.low, std::max(range.low, out.config.buffer));
  out.config.pause.headroom = roundest_size(range);
  if (out.config.pause.headroom != 0) out.notes["pause.headroom"] = interval_note("headroom", *bytes);
}

void add_quanta(const FigureIndex& figures, MeasuredSwitch& out) {
  constexpr double kLeast = 64;
  const Figure* const quanta = figures.measured("xoff", "quanta");
  if (quanta == nullptr || *quanta->value < kLeast) {
    out.unknown_key("pause.quanta", quanta == nullptr ? figures.why_not("xoff", "quanta")
                                                      : interval_note("xoff", *quanta) +
                                                            ", which is less than the lab permits");
    return;
  }
  out.config.pause.quanta = static_cast<std::uint16_t>(*quanta->value);
  out.notes["pause.quanta"] = interval_note("xoff", *quanta);
}

/// Marks as lossless the queues of the PFC classes that the figure `classes` lists, for example "3, 4". Links
/// with 802.3x need no lossless queues.
void add_lossless(const FigureIndex& figures, MeasuredSwitch& out) {
  const std::string classes = figures.word("xoff", "classes");
  if (classes == "all") return;
  const char* at = classes.c_str();
  while (*at != 0) {
    char* end = nullptr;
    const unsigned long queue = std::strtoul(at, &end, 10);
    if (end == at || queue >= fabric::kQueues) return;
    out.config.queues[queue].lossless = true;
    out.notes["queues." + std::to_string(queue) + ".lossless"] =
        "xoff: PFC pauses class " + std::to_string(queue);
    at = *end == ',' ? end + 1 : end;
  }
}

}  // namespace

void add_pauses(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const xoff = figures.measured("xoff", "xoff_bytes");
  if (xoff == nullptr) {
    if (!figures.absent("xoff", "xoff_bytes"))
      out.unknown_key("pause", figures.why_not("xoff", "xoff_bytes"));
    return;
  }
  const ThresholdBytes bytes(out.config, *xoff);
  const WholeRange found = range_of(*xoff);
  const WholeRange at{bytes.memory(found.low - 1) + 1, bytes.memory(found.high)};
  raise_memory(at, out);
  const bool dynamic =
      figures.word("xoff", "threshold") == "dynamic" && figures.measured("xoff", "alpha") != nullptr;
  if (dynamic && find_alpha(at, *figures.measured("xoff", "alpha"), out)) {
    add_dynamic_xoff(figures, bytes, out);
  } else {
    add_fixed_xoff(figures, at, bytes, out);
    if (dynamic) {
      out.unknown_key("pause.xoff_alpha", "no alpha in the interval explains both XOFF and the memory");
    } else if (figures.word("xoff", "threshold").empty()) {
      out.unknown_key("pause.xoff_alpha", figures.why_not("xoff", "threshold"));
    }
  }
  add_headroom(figures, out);
  add_quanta(figures, out);
  add_lossless(figures, out);
}

}  // namespace softfeb::report
