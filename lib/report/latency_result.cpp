// SPDX-License-Identifier: BSD-3-Clause
#include "report/latency_result.hpp"

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;
using latency::StageHistogram;

double ns(Time t) { return static_cast<double>(t) / static_cast<double>(kNanosecond); }

Json buckets(const StageHistogram& h) {
  Json list = Json::array();
  for (std::size_t i = 0; i < StageHistogram::kBuckets; ++i) {
    if (h.bucket(i) != 0) list.push_back({ns(StageHistogram::lower(i)), h.bucket(i)});
  }
  return list;
}

Json stage(const latency::Span& span, const StageHistogram& h) {
  return {{"from", latency::point_name(span.from)},
          {"to", latency::point_name(span.to)},
          {"count", h.count()},
          {"min", ns(h.min())},
          {"p50", ns(h.percentile(500))},
          {"p90", ns(h.percentile(900))},
          {"p99", ns(h.percentile(990))},
          {"p999", ns(h.percentile(999))},
          {"max", ns(h.max())},
          {"buckets", buckets(h)}};
}

}  // namespace

void add_latency(Json& json, const latency::StageFigures* figures) {
  if (figures == nullptr) return;
  Json stages = Json::array();
  for (std::size_t i = 0; i < latency::kSpans; ++i) {
    if (figures->histograms[i].count() != 0)
      stages.push_back(stage(latency::spans()[i], figures->histograms[i]));
  }
  json["latency"] = {{"sample", figures->sample},         {"messages", figures->messages},
                     {"overflows", figures->overflows},   {"lost_stamps", figures->lost_stamps},
                     {"incomplete", figures->incomplete}, {"stages", std::move(stages)}};
}

std::string latency_csv(const latency::StageFigures& figures) {
  std::string text = "from,to,from_ns,to_ns,count\n";
  for (std::size_t i = 0; i < latency::kSpans; ++i) {
    const latency::Span span = latency::spans()[i];
    const StageHistogram& h = figures.histograms[i];
    for (std::size_t b = 0; b < StageHistogram::kBuckets; ++b) {
      if (h.bucket(b) == 0) continue;
      text += fmt::format("{},{},{:.10g},{:.10g},{}\n", latency::point_name(span.from),
                          latency::point_name(span.to), ns(StageHistogram::lower(b)),
                          ns(StageHistogram::lower(b + 1)), h.bucket(b));
    }
  }
  return text;
}

}  // namespace softfeb::report
