// SPDX-License-Identifier: BSD-3-Clause
#include "latency/stage.hpp"

namespace softfeb::latency {

namespace {

constexpr Span span(std::size_t from, std::size_t to) {
  return {static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(to)};
}

constexpr Span span(Stage from, Stage to) { return span(point_of(from), point_of(to)); }

constexpr std::array<Span, kSpans> make_spans() {
  using enum Stage;
  std::array<Span, kSpans> all{};
  std::size_t n = 0;
  all[n++] = span(kTriggered, kPosted);
  all[n++] = span(kPosted, kCrafted);
  all[n++] = span(kCrafted, kSent);
  all[n++] = span(point_of(kSent), point_of(kSwitchIn, 0));
  for (std::size_t hop = 0; hop < kHops; ++hop) {
    all[n++] = span(point_of(kSwitchIn, hop), point_of(kSwitchOut, hop));
    if (hop + 1 < kHops) all[n++] = span(point_of(kSwitchOut, hop), point_of(kSwitchIn, hop + 1));
    all[n++] = span(point_of(kSwitchOut, hop), point_of(kReceived));
  }
  all[n++] = span(kSent, kReceived);
  all[n++] = span(kReceived, kPlaced);
  all[n++] = span(kPlaced, kNotified);
  all[n++] = span(kSent, kCompleted);
  all[n++] = span(kReceived, kNotified);
  all[n++] = span(kPosted, kNotified);
  all[n++] = span(kTriggered, kNotified);
  all[n++] = span(kTriggered, kCompleted);
  return all;
}

constexpr std::array<Span, kSpans> kAll = make_spans();
static_assert(kAll.back() == span(Stage::kTriggered, Stage::kCompleted));

}  // namespace

std::string point_name(std::size_t point) {
  constexpr std::array<const char*, 8> kNames{"triggered", "posted", "crafted",  "sent",
                                              "received",  "placed", "notified", "completed"};
  constexpr std::size_t kFirst = point_of(Stage::kSwitchIn), kEnd = point_of(Stage::kReceived);
  if (point < kFirst) return kNames[point];
  if (point >= kEnd) return kNames[point - 2 * kHops];
  const std::size_t at = point - kFirst;
  return "switch_" + std::to_string(at / 2 + 1) + (at % 2 == 0 ? "_in" : "_out");
}

const std::array<Span, kSpans>& spans() { return kAll; }

}  // namespace softfeb::latency
