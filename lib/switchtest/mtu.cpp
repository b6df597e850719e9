// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"
#include "switchtest/frame_writer.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

namespace {

/// The test `mtu`: searches for the largest frame of several kinds at once. All lengths are without FCS and
/// tag, and are kSmallestRoceFrame plus a multiple of 4.
class FrameSearch {
 public:
  explicit FrameSearch(Context& ctx) : ctx_(ctx) {}
  void run();

 private:
  /// Frames of one DSCP, tagged or not.
  struct Candidate {
    std::uint8_t dscp = 0;
    bool tagged = false;
    bool reached = false;    ///< frames of some length have arrived
    std::uint32_t pass = 0;  ///< the largest length that arrived
    /// The smallest length that did not arrive; 0 if all lengths that the rig can send arrive.
    std::uint32_t fail = 0;
    std::uint32_t probe = 0;  ///< length in the next trial; 0 if the search has ended
    KindStats of_fail;        ///< what happened to frames of length `fail`
  };

  std::vector<std::uint8_t> classes() const;
  std::uint32_t longest() const;
  FrameKind kind_of(const Candidate& c) const;
  bool probe_all();
  static void note(Candidate& c, const KindStats& stats);
  void report(const Candidate& c) const;
  void store() const;

  Context& ctx_;
  std::vector<Candidate> candidates_;
};

/// Returns one DSCP for each queue if the queues are known, otherwise one for each class selector. The DSCP
/// of the settings is always included.
std::vector<std::uint8_t> FrameSearch::classes() const {
  constexpr std::uint8_t kDscps = 64, kStep = 8;
  std::vector<std::uint8_t> out{ctx_.settings.dscp};
  const auto& queues = ctx_.findings.queue_of_dscp;
  const auto queue = [&](std::uint8_t dscp) { return queues ? (*queues)[dscp] : dscp / kStep; };
  for (std::uint8_t dscp = 0; dscp < kDscps; ++dscp) {
    if (queues && queue(dscp) == Findings::kNoQueue) continue;
    if (std::none_of(out.begin(), out.end(), [&](std::uint8_t d) { return queue(d) == queue(dscp); }))
      out.push_back(dscp);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Returns the length of the longest frame that both ports support.
std::uint32_t FrameSearch::longest() const {
  const auto& ports = ctx_.rig.ports();
  const std::uint32_t most =
      std::min(ports[ctx_.roles().a].largest_frame, ports[ctx_.roles().d].largest_frame);
  return most - (most - kSmallestRoceFrame) % 4;
}

FrameKind FrameSearch::kind_of(const Candidate& c) const {
  FrameKind out = ctx_.frame(ctx_.roles().d, c.probe + kFcsSize);
  out.dscp = c.dscp;
  if (c.tagged) out.vlan = roce::VlanTag{0, static_cast<std::uint8_t>(c.dscp / 8)};
  return out;
}

/// Sends frames of each candidate's next length, and evaluates the results. A length passes if at least one
/// frame arrives, because a switch that loses frames for other reasons does not lose all of them. Returns
/// false if the rig failed.
bool FrameSearch::probe_all() {
  constexpr std::uint64_t kFrames = 5;
  Trial trial = ctx_.trial();
  Source source{.port = ctx_.roles().a, .start = ctx_.rig.settle(), .seed = ctx_.seed()};
  std::uint32_t longest = 0;
  std::vector<Candidate*> probed;
  for (Candidate& c : candidates_) {
    if (c.probe == 0) continue;
    source.kinds.push_back(static_cast<std::uint16_t>(trial.kinds.size()));
    trial.kinds.push_back(kind_of(c));
    longest = std::max(longest, FrameWriter::frame_length(trial.kinds.back()));
    probed.push_back(&c);
  }
  source.gap = time_on_wire(longest, std::min(ctx_.rate(ctx_.roles().a), ctx_.rate(ctx_.roles().d)));
  source.count = kFrames * probed.size();
  trial.end = source.start + (source.count + 1) * source.gap + 2 * ctx_.rig.settle();
  trial.sources.push_back(std::move(source));
  const auto result = ctx_.run_valid(trial);
  if (!result) return false;
  for (std::size_t i = 0; i < probed.size(); ++i) note(*probed[i], result->kinds[i]);
  return true;
}

/// Records whether a candidate's current length passed. If a length that passed and a length that failed are
/// known, and there are further lengths between them, chooses the middle as the next length.
void FrameSearch::note(Candidate& c, const KindStats& stats) {
  if (stats.arrived != 0) {
    c.pass = c.probe;
    c.reached = true;
  } else {
    c.fail = c.probe;
    c.of_fail = stats;
  }
  c.probe = 0;
  if (!c.reached || c.fail == 0 || c.fail - c.pass <= 4) return;
  c.probe = c.pass + (c.fail - c.pass) / 8 * 4;
}

/// Describes what the switch does with frames that are too long.
std::string fate_of_oversize(const KindStats& stats) {
  if (stats.damaged != 0) return "truncated or damaged";
  return stats.misdelivered != 0 ? "sent to other ports" : "dropped";
}

void FrameSearch::report(const Candidate& c) const {
  const std::map<std::string, std::string> labels{{"dscp", std::to_string(c.dscp)},
                                                  {"tag", c.tagged ? "yes" : "no"}};
  if (!c.reached) {
    ctx_.add({.name = "frame_bytes",
              .labels = labels,
              .unit = "B",
              .method = Method::kSearch,
              .status = Status::kAbsent,
              .reason = "the switch does not forward these frames, however short"});
    return;
  }
  const std::uint32_t tag = c.tagged ? static_cast<std::uint32_t>(roce::kVlanTagSize) : 0;
  Figure figure{.name = "frame_bytes", .labels = labels, .unit = "B", .method = Method::kSearch};
  figure.value = figure.low = c.pass + tag;
  Figure oversize{.name = "oversize", .labels = labels, .method = Method::kOrder};
  if (c.fail != 0) {
    figure.high = c.fail + tag;
    oversize.text = fate_of_oversize(c.of_fail);
  } else {
    figure.status = Status::kBounded;
    figure.reason = "the ports of the rig handle no longer frames";
    oversize.status = Status::kUnresolvable;
    oversize.reason = "all frames that the rig can send pass";
  }
  ctx_.add(figure);
  ctx_.add(oversize);
}

/// Stores the smallest result of all untagged candidates: later tests send untagged frames, and some of these
/// frames are in classes other than the class of Settings::dscp.
void FrameSearch::store() const {
  for (const Candidate& c : candidates_) {
    if (c.tagged || !c.reached) continue;
    const std::uint32_t so_far = ctx_.findings.largest_frame.value_or(c.pass);
    ctx_.findings.largest_frame = std::min(so_far, c.pass);
  }
}

void FrameSearch::run() {
  for (const bool tagged : {false, true})
    for (const std::uint8_t dscp : classes())
      candidates_.push_back({.dscp = dscp, .tagged = tagged, .probe = kSmallestRoceFrame});
  if (!probe_all()) return ctx_.inconclusive();
  for (Candidate& c : candidates_)
    if (c.reached) c.probe = longest();
  const auto searching = [](const Candidate& c) { return c.probe != 0; };
  while (std::any_of(candidates_.begin(), candidates_.end(), searching))
    if (!probe_all()) return ctx_.inconclusive();
  store();
  for (const Candidate& c : candidates_) report(c);
}

}  // namespace

void run_mtu(Context& ctx) { FrameSearch(ctx).run(); }

}  // namespace softfeb::switchtest
