// SPDX-License-Identifier: BSD-3-Clause
// Memory of a measured switch.
#include "report/measured_switch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace softfeb::report {

namespace {

using switchtest::Figure;
using switchtest::Status;

constexpr std::uint64_t kAlphaUnits = 256;  // unit of fabric::SwitchConfig::dynamic_alpha
constexpr std::uint32_t kFcs = 4;

/// The number of frames that a queue held while `used` bytes of the memory were in use elsewhere.
struct HeldFrames {
  std::uint64_t bytes = 0;          ///< bytes that each frame occupies
  std::uint64_t low = 0, high = 0;  ///< bounds of the number of frames
  std::uint64_t used = 0;
};

std::uint64_t whole(const std::optional<double>& number) {
  return number ? static_cast<std::uint64_t>(std::max(0.0, *number + 0.5)) : 0;
}

HeldFrames held_frames(const Figure& f, const fabric::SwitchConfig& config) {
  const std::uint64_t size = std::strtoull(f.labels.at("size").c_str(), nullptr, 10);
  return {.bytes = occupied(config, size - kFcs), .low = whole(f.low), .high = whole(f.high)};
}

/// Returns the frames that the first queue held, with one element for each frame size.
std::vector<HeldFrames> first_queue(const FigureIndex& figures, const fabric::SwitchConfig& config) {
  std::vector<HeldFrames> out;
  for (const Figure* const f : figures.all("buffer", "queue_frames"))
    if (f->status == Status::kMeasured && f->labels.at("queue") == "1")
      out.push_back(held_frames(*f, config));
  return out;
}

/// Returns the frames that all queues held: each queue of port D, while the queues before it were full, and
/// the queue of port E, while the first queue of port D was full.
std::vector<HeldFrames> all_queues(const FigureIndex& figures, const fabric::SwitchConfig& config) {
  std::vector<HeldFrames> out;
  std::map<std::string, std::uint64_t> first, used;  // bytes by frame size
  for (const Figure* const f : figures.all("buffer", "queue_frames")) {
    if (f->status != Status::kMeasured) continue;
    HeldFrames& held = out.emplace_back(held_frames(*f, config));
    std::uint64_t& before = used[f->labels.at("size")];
    held.used = before;
    before += whole(f->value) * held.bytes;
    first.emplace(f->labels.at("size"), before);
  }
  for (const Figure* const f : figures.all("buffer", "other_port_frames")) {
    if (f->status != Status::kMeasured) continue;
    HeldFrames& held = out.emplace_back(held_frames(*f, config));
    held.used = first[f->labels.at("size")];
  }
  return out;
}

/// Returns the limits for which a queue holds exactly these numbers of frames.
WholeRange limit_of(const std::vector<HeldFrames>& held) {
  WholeRange out{0, UINT64_MAX};
  for (const HeldFrames& h : held) out = out.meet({h.low * h.bytes, (h.high + 1) * h.bytes - 1});
  return out;
}

/// Returns the pool sizes for which queues with a dynamic threshold hold exactly these numbers of frames.
/// Frame n is admitted if n frames occupy at most alpha times the memory that is free before frame n arrives.
WholeRange pool_of(const std::vector<HeldFrames>& held, std::uint64_t alpha) {
  WholeRange out{0, UINT64_MAX};
  const auto needed = [&](const HeldFrames& h, std::uint64_t n) {
    return (n * h.bytes * kAlphaUnits + alpha - 1) / alpha + (n - 1) * h.bytes + h.used;
  };
  for (const HeldFrames& h : held) {
    if (h.low != 0) out.low = std::max(out.low, needed(h, h.low));
    out.high = std::min(out.high, needed(h, h.high + 1) - 1);
  }
  return out;
}

/// Returns a note with the interval of a limit: in bytes of frames or, if frames occupy cells, in bytes of
/// memory.
std::string memory_note(const MeasuredSwitch& out, const Figure& figure, const WholeRange& memory) {
  if (out.config.memory.cell == 1) return interval_note("buffer", figure);
  Figure cells{.low = static_cast<double>(memory.low), .high = static_cast<double>(memory.high), .unit = "B"};
  return interval_note("buffer", cells) + " in cells";
}

void add_cells(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const cell = figures.measured("cells", "cell_bytes");
  if (cell == nullptr) return out.unknown_key("cell", figures.why_not("cells", "cell_bytes"));
  if (*cell->value < 2) return;
  out.config.memory.cell = static_cast<std::uint32_t>(*cell->value);
  out.notes["cell"] = interval_note("cells", *cell);
  const Figure* const overhead = figures.measured("cells", "overhead_bytes");
  if (overhead == nullptr)
    return out.unknown_key("cell_overhead", figures.why_not("cells", "overhead_bytes"));
  out.config.memory.cell_overhead = static_cast<std::uint32_t>(*overhead->value);
  if (*overhead->value >= 1) out.notes["cell_overhead"] = interval_note("cells", *overhead);
}

/// Returns the figure for the size of the memory, in bytes of frames; null if the size is unknown. If the
/// memory has cells, this figure has no upper bound; the numbers of frames then determine the size.
const Figure* seen_pool(const FigureIndex& figures) {
  const Figure* const pool = figures.find("buffer", "pool_bytes");
  return pool != nullptr && pool->value ? pool : nullptr;
}

/// The alpha of a dynamic threshold, and the pool sizes with which this alpha explains the numbers of frames
/// in the queues.
struct AlphaFound {
  std::uint64_t alpha = 0;  ///< 0 if no alpha explains these numbers
  WholeRange pool;
};

/// Finds the roundest alpha (the multiple of the greatest power of two) that, with some pool size, explains
/// the numbers of frames in the queues. `parts` is the range to search, in units of 1/256.
AlphaFound find_dynamic_alpha(const WholeRange& parts, const std::vector<HeldFrames>& held) {
  for (std::uint64_t step = kAlphaUnits * kAlphaUnits; step != 0; step /= 2)
    for (std::uint64_t a = (parts.low + step - 1) / step * step; a <= parts.high; a += step)
      if (const WholeRange pool = a == 0 ? WholeRange{1, 0} : pool_of(held, a); !pool.empty())
        return {a, pool};
  return {};
}

void add_dynamic(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const alpha = figures.measured("buffer", "alpha");
  const Figure* const pool = seen_pool(figures);
  if (alpha == nullptr || pool == nullptr) return;
  constexpr double kMostAlpha = 256;
  const WholeRange parts = whole_range(*alpha->low * kAlphaUnits,
                                       std::min(alpha->high.value_or(kMostAlpha), kMostAlpha) * kAlphaUnits);
  AlphaFound found = find_dynamic_alpha(parts, all_queues(figures, out.config));
  // Later queues may also have used headroom, so try the first queue alone.
  if (found.alpha == 0) found = find_dynamic_alpha(parts, first_queue(figures, out.config));
  if (found.alpha == 0) found = {std::max<std::uint64_t>(1, roundest_binary(parts)), range_of(*pool)};
  out.buffer = found.pool;
  out.config.dynamic_alpha = static_cast<std::uint32_t>(found.alpha);
  out.config.buffer = roundest_size(found.pool);
  out.notes["dynamic_alpha"] = interval_note("buffer", *alpha);
  out.notes["buffer"] = memory_note(out, *pool, found.pool);
}

/// Returns the range of possible sizes of the memory, given that each port has the limit `limit`. The memory
/// is at least as large as the largest number of bytes that were held in it at one time. If a queue held less
/// than `limit`, the memory was full. Its size then exceeds the number of held bytes by less than one frame.
WholeRange pool_behind(const std::vector<HeldFrames>& held, std::uint64_t limit) {
  WholeRange out{limit, UINT64_MAX / 1024};
  for (const HeldFrames& h : held) out.low = std::max(out.low, h.used + h.low * h.bytes);
  for (const HeldFrames& h : held)
    if (h.high != 0 && (h.high + 1) * h.bytes <= limit)
      out.high = std::min(out.high, h.used + (h.high + 1) * h.bytes - 1);
  out.high = std::max(out.high, out.low);
  return out;
}

/// Sets a limit for the queues of a port. The memory itself may be larger. `of_queue` tells whether the
/// measured switch limits each queue, rather than all queues of a port together.
void add_limit(const FigureIndex& figures, MeasuredSwitch& out, bool of_queue) {
  const Figure* const bytes = figures.measured("buffer", "queue_bytes", {{"queue", "1"}});
  if (bytes == nullptr) return;
  WholeRange limit = limit_of(first_queue(figures, out.config));
  if (limit.empty()) limit = range_of(*bytes);
  out.config.port_limit = roundest_size(limit);
  out.notes["port_limit"] = memory_note(out, *bytes, limit);
  if (of_queue) out.notes["port_limit"] += " for each queue; here, the queues of a port share it";
  out.buffer = pool_behind(all_queues(figures, out.config), out.config.port_limit);
  out.config.buffer = roundest_size({out.buffer.low, std::min(out.buffer.high, 2 * out.buffer.low - 1)});
  if (const Figure* const pool = figures.find("buffer", "pool_bytes"))
    out.notes["buffer"] = out.buffer.high <= 2 * out.buffer.low - 1
                              ? "buffer: port E took less than D, which leaves no more"
                              : interval_note("buffer", *pool) + "; " + pool->reason;
}

/// Sets a memory that one queue may use completely. This function is used if only one queue could be filled.
void add_one_queue(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const bytes = figures.measured("buffer", "queue_bytes", {{"queue", "1"}});
  out.unknown_key("port_limit, dynamic_alpha", figures.why_not("buffer", "sharing"));
  if (bytes == nullptr) return;
  WholeRange held = limit_of(first_queue(figures, out.config));
  if (held.empty()) held = range_of(*bytes);
  out.config.buffer = roundest_size(held);
  out.buffer.low = held.low;
  out.notes["buffer"] = interval_note("buffer", *bytes) + " in one queue; how queues share memory is unknown";
}

void add_complete(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const pool = seen_pool(figures);
  if (pool == nullptr) return;
  WholeRange bytes = limit_of(first_queue(figures, out.config));
  if (bytes.empty()) bytes = range_of(*pool);
  out.buffer = bytes;
  out.config.buffer = roundest_size(bytes);
  out.notes["buffer"] = memory_note(out, *pool, bytes);
}

/// Sets an assumed buffer, because a simulated switch must have a buffer. The assumed buffer is larger than
/// the number of bytes that the measured switch held.
void assume_buffer(const FigureIndex& figures, MeasuredSwitch& out) {
  constexpr std::uint64_t kUsual = std::uint64_t{16} << 20;
  std::uint64_t seen = 0;
  for (const auto& [test, name] : {std::pair{"buffer", "pool_bytes"},
                                   {"buffer", "queue_bytes"},
                                   {"burst", "implied_buffer_bytes"},
                                   {"ecn", "kmax_bytes"},
                                   {"xoff", "xoff_bytes"}})
    for (const Figure* const f : figures.all(test, name)) seen = std::max(seen, whole(f->low));
  out.config.buffer = seen == 0 ? kUsual : roundest_size({2 * seen, 4 * seen});
  out.config.buffer = std::max<std::uint64_t>(out.config.buffer, 64 << 10);
  out.notes["buffer"] =
      "an assumption, because a switch needs this key; " +
      (seen == 0 ? "no memory was seen" : "it held at least " + std::to_string(seen) + " B");
  out.unknown_key("buffer", figures.why_not("buffer", "pool_bytes"));
}

}  // namespace

std::uint64_t occupied(const fabric::SwitchConfig& config, std::uint64_t length) {
  const std::uint64_t cell = config.memory.cell;
  return (length + config.memory.cell_overhead + cell - 1) / cell * cell;
}

void add_memory(const FigureIndex& figures, MeasuredSwitch& out) {
  add_cells(figures, out);
  const std::string sharing = figures.word("buffer", "sharing");
  if (sharing == "dynamic threshold") {
    add_dynamic(figures, out);
  } else if (sharing == "port limit" || sharing == "queue limit") {
    add_limit(figures, out, sharing == "queue limit");
    out.unknown_key("dynamic_alpha", figures.why_not("buffer", "alpha"));
  } else if (sharing == "complete sharing") {
    add_complete(figures, out);
  } else {
    add_one_queue(figures, out);
  }
  if (out.config.buffer == 0) assume_buffer(figures, out);
}

}  // namespace softfeb::report
