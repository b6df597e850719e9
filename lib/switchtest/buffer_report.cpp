// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/buffer_report.hpp"

#include "switchtest/estimators.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Returns a figure for the frames that a queue held, in frames or in bytes.
Figure held_figure(const BufferSeries& series, std::string name, const FrameCount& count, bool in_bytes) {
  Figure out{.name = std::move(name), .unit = in_bytes ? "B" : "frames", .method = Method::kCount};
  const auto low = static_cast<double>(count.low), high = static_cast<double>(count.high);
  if (in_bytes) {
    // The limit of the queue exceeds the bytes of the held frames by less than one frame, because one more
    // frame did not fit.
    out.value = out.low = low * series.queues.frame;
    out.high = (high + 1) * series.queues.frame - 1;
  } else {
    out.labels["size"] = std::to_string(series.size);
    out.value = static_cast<double>(count.value());
    out.low = low;
    out.high = high;
  }
  return out;
}

void add_sharing(Context& ctx, const SharingFound& found) {
  if (found.sharing == Sharing::kUnknown) {
    ctx.add_without_value("sharing", Status::kUnresolvable, found.reason);
  } else {
    ctx.add({.name = "sharing", .method = Method::kOrder, .text = word(found.sharing)});
  }
}

void add_alpha(Context& ctx, const SharingFound& found) {
  if (found.fit) {
    ctx.add({.name = "alpha",
             .value = found.fit->alpha,
             .low = found.fit->alpha_low,
             .high = found.fit->alpha_high,
             .method = Method::kFit});
  } else if (found.sharing == Sharing::kComplete) {
    ctx.add_without_value("alpha", Status::kAbsent, "one queue may take all the memory");
  } else if (found.sharing == Sharing::kUnknown) {
    ctx.add_without_value("alpha", Status::kUnresolvable, found.reason);
  } else {
    ctx.add_without_value("alpha", Status::kUnresolvable,
                          std::string("the ") + word(found.sharing) + " hides it");
  }
}

/// Returns the figure of the memory size. Combines the results of all frame sizes that show the same kind of
/// sharing. If these results contradict each other, frames occupy more memory than their length, and only a
/// lower bound is known.
Figure pool_of_all(const std::vector<BufferSeries>& series, Sharing sharing, Figure pool) {
  CommonInterval common;
  for (const BufferSeries& s : series) {
    const SharingFound found = sharing_of(s.queues);
    if (found.sharing != sharing || !found.pool_high) continue;
    common.add(found.pool_low, *found.pool_high);
    pool.low = std::max(*pool.low, found.pool_low);
    pool.high = std::min(*pool.high, *found.pool_high);
  }
  if (common.agree()) return pool;
  pool.value = pool.low;
  pool.high.reset();
  pool.status = Status::kBounded;
  pool.reason = "the memory holds more bytes of frames of one length than of another; see the test cells";
  return pool;
}

void add_pool(Context& ctx, const std::vector<BufferSeries>& series, const SharingFound& found) {
  Figure pool{.name = "pool_bytes", .low = found.pool_low, .high = found.pool_high, .unit = "B"};
  if (found.sharing == Sharing::kComplete) {
    pool = pool_of_all(series, found.sharing, pool);
    pool.value = pool.low;
  } else if (found.fit) {
    pool.value = found.fit->pool;
    pool.method = Method::kFit;
    pool = pool_of_all(series, found.sharing, pool);
    if (pool.low && pool.high) pool.value = std::clamp(*pool.value, *pool.low, *pool.high);
  } else {
    pool.value = pool.low;
    pool.status = Status::kBounded;
    pool.reason = found.sharing == Sharing::kUnknown
                      ? found.reason
                      : std::string("more memory may be behind the ") + word(found.sharing);
  }
  ctx.add(pool);
}

/// Draws, for each queue of port D, the memory that its frames occupied and the memory that the fit predicts.
void draw_memory(Context& ctx, const BufferSeries& series, const SharingFound& found) {
  Curve held{.name = "memory",
             .label = std::to_string(series.size) + " bytes",
             .x_name = "queue",
             .x_unit = "",
             .y_name = "memory",
             .y_unit = "B",
             .points = {}};
  Curve fit = held;
  fit.label = held.label + ", fit";
  double used = 0;
  const auto add = [&](const FrameCount& count) {
    const auto bytes = [&](std::uint64_t frames) {
      return static_cast<double>(frames) * series.queues.frame;
    };
    const auto x = static_cast<double>(held.points.size() + 1);
    held.points.push_back({x, bytes(count.value()), bytes(count.low), bytes(count.high + 1)});
    if (found.fit) fit.points.push_back({.x = x, .y = found.fit->share * (found.fit->pool - used)});
    used += bytes(count.value());
  };
  add(series.queues.first);
  for (const QueueSeries::Queue& q : series.queues.same_port) add(q.frames);
  ctx.report.curves.push_back(std::move(held));
  if (!fit.points.empty()) ctx.report.curves.push_back(std::move(fit));
}

}  // namespace

void report_held(Context& ctx, const BufferSeries& series, bool in_bytes) {
  const auto add = [&](const std::string& what, const std::string& queue, const FrameCount& count) {
    for (const bool bytes : {false, true}) {
      if (bytes && !in_bytes) continue;
      Figure figure = held_figure(series, what + (bytes ? "_bytes" : "_frames"), count, bytes);
      if (!queue.empty()) figure.labels["queue"] = queue;
      ctx.add(figure);
    }
  };
  add("queue", "1", series.queues.first);
  for (std::size_t i = 0; i < series.queues.same_port.size(); ++i)
    add("queue", std::to_string(i + 2), series.queues.same_port[i].frames);
  if (!series.queues.other_port.empty()) add("other_port", "", series.queues.other_port.back().frames);
}

void report_buffer(Context& ctx, const std::vector<BufferSeries>& series) {
  const SharingFound found = sharing_of(series.back().queues);
  for (const BufferSeries& s : series) report_held(ctx, s, &s == &series.front());
  add_sharing(ctx, found);
  add_alpha(ctx, found);
  add_pool(ctx, series, found);
  for (const BufferSeries& s : series) draw_memory(ctx, s, found);
}

}  // namespace softfeb::switchtest
