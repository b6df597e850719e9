// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"
#include "switchtest/reordering.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace softfeb::switchtest {

namespace {

/// Measures reordering and duplication of frames of mixed sizes in a number of flows.
class OrderOfFlows {
 public:
  OrderOfFlows(Context& ctx, std::uint16_t flows) : ctx_(ctx), flows_(flows) {}
  void run();

 private:
  std::vector<std::uint32_t> sizes() const;
  void add_kinds(Trial& trial);
  Time mean_gap() const;
  bool measure(std::uint64_t frames);
  void report() const;

  Context& ctx_;
  std::uint16_t flows_;
  std::vector<std::uint16_t> flow_of_kind_;
  Reordering total_;
  std::uint64_t damaged_ = 0;
};

std::vector<std::uint32_t> OrderOfFlows::sizes() const {
  const std::uint32_t largest = ctx_.large_size(ctx_.roles().a, ctx_.roles().d);
  std::vector<std::uint32_t> out;
  for (const std::uint32_t size : ctx_.settings.sizes)
    if (size <= largest) out.push_back(size);
  if (out.empty()) out.push_back(largest);
  return out;
}

void OrderOfFlows::add_kinds(Trial& trial) {
  constexpr std::uint16_t kFirstPort = 0xc000;
  constexpr std::uint32_t kFirstQp = 0x100;
  flow_of_kind_.clear();
  for (std::uint16_t flow = 0; flow < flows_; ++flow)
    for (const std::uint32_t size : sizes()) {
      FrameKind kind = ctx_.frame(ctx_.roles().d, size);
      kind.udp_source_port = static_cast<std::uint16_t>(kFirstPort + flow);
      kind.dest_qp = kFirstQp + flow;
      kind.record = true;
      flow_of_kind_.push_back(flow);
      trial.kinds.push_back(kind);
    }
}

/// Returns the mean gap at 99 % of the load at which frames of every size pass without loss.
Time OrderOfFlows::mean_gap() const {
  constexpr double kLoad = 0.99;
  const std::uint64_t slower = std::min(ctx_.rate(ctx_.roles().a), ctx_.rate(ctx_.roles().d));
  double sum = 0, load = 1;
  const auto all = sizes();
  for (const std::uint32_t size : all) {
    sum += static_cast<double>(time_on_wire(size - kFcsSize, slower));
    const auto found = ctx_.findings.load.find(size);
    if (found != ctx_.findings.load.end() && found->second > 0) load = std::min(load, found->second);
  }
  return static_cast<Time>(sum / static_cast<double>(all.size()) / (kLoad * load));
}

/// Sends `frames` frames, and adds the reordering that it sees to the totals. Returns false if the rig
/// failed.
bool OrderOfFlows::measure(std::uint64_t frames) {
  Trial trial = ctx_.trial();
  trial.obedience.assign(ctx_.rig.ports().size(), {.obeys = false});
  add_kinds(trial);
  Source source{.port = ctx_.roles().a,
                .mixed = true,
                .start = ctx_.rig.settle(),
                .count = frames,
                .gap = mean_gap(),
                .seed = ctx_.seed()};
  for (std::uint16_t k = 0; k < trial.kinds.size(); ++k) source.kinds.push_back(k);
  constexpr Time kLongestQueue = 20 * kMillisecond;
  trial.end = source.start + frames * source.gap + kLongestQueue + ctx_.rig.settle();
  trial.sources.push_back(std::move(source));
  auto result = ctx_.run_valid(trial);
  if (!result) return false;
  std::erase_if(result->arrivals, [&](const Arrival& a) { return a.port != ctx_.roles().d; });
  const Reordering seen = reordering(result->arrivals, flow_of_kind_);
  total_.frames += seen.frames;
  total_.reordered += seen.reordered;
  total_.extent = std::max(total_.extent, seen.extent);
  total_.duplicated += seen.duplicated;
  for (const KindStats& k : result->kinds) damaged_ += k.damaged;
  return true;
}

void OrderOfFlows::report() const {
  const std::map<std::string, std::string> labels{{"flows", std::to_string(flows_)}};
  const auto add = [&](const char* name, std::uint64_t count) {
    Figure figure{.name = name, .labels = labels, .unit = "frames"};
    if (total_.frames + damaged_ == 0) {
      figure.status = Status::kUnresolvable;
      figure.reason = "no frame arrived";
    } else {
      figure.value = figure.low = figure.high = static_cast<double>(count);
      const std::string all = std::to_string(total_.frames + damaged_);
      figure.reason = "of " + all + " frames";
      // The rule of three: if none of n frames is affected, the share is below 3/n at a confidence level of
      // 95 %.
      if (count == 0) figure.reason += "; the share is below 3/" + all + " at 95 %";
    }
    ctx_.add(figure);
  };
  add("reordered", total_.reordered);
  add("reorder_extent", total_.extent);
  add("duplicated", total_.duplicated);
  add("icrc_errors", damaged_);
}

/// Sends frames for 10 s with the standard effort. Divides this time into trials whose frames the ports can
/// record. A virtual rig needs fewer frames.
void OrderOfFlows::run() {
  constexpr std::uint64_t kMostInTrial = 1U << 17, kEnough = 50'000;
  std::uint64_t left = std::max<std::uint64_t>(1, ctx_.duration(10 * kSecond, 60 * kSecond) / mean_gap());
  if (ctx_.exact()) left = std::min(left, kEnough);
  while (left != 0) {
    const std::uint64_t frames = std::min(left, kMostInTrial);
    if (!measure(frames)) return ctx_.inconclusive();
    left -= frames;
  }
  report();
}

}  // namespace

void run_order(Context& ctx) {
  for (const std::uint16_t flows : {1, 64}) {
    OrderOfFlows(ctx, flows).run();
    if (ctx.report.status != Status::kMeasured) return;
  }
}

}  // namespace softfeb::switchtest
