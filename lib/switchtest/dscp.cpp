// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/frame_writer.hpp"
#include "switchtest/order_trial.hpp"
#include "switchtest/tests.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace softfeb::switchtest {

namespace {

/// Items of this test: untagged frames of each DSCP, then tagged frames of each PCP.
constexpr std::size_t kDscpCount = 64, kPcpCount = 8, kItemCount = kDscpCount + kPcpCount;

/// How frames of an item can be held back in the switch.
struct QueueHold {
  enum class How : std::uint8_t { kNotAtAll, kPause, kPfc } how = How::kNotAtAll;
  std::uint8_t priority = 0;  ///< for kPfc: the PFC priority that port D pauses
  auto operator<=>(const QueueHold&) const = default;
};

/// Finds out which DSCPs and PCPs share a queue of port D.
class QueueMap {
 public:
  explicit QueueMap(Context& ctx) : ctx_(ctx) {}
  void run();

 private:
  bool find_passing();
  bool find_holds();
  bool find_priorities();
  std::optional<std::vector<bool>> arrivals_of_all(std::optional<std::uint8_t> frozen_priority);
  bool split(const QueueHold& hold, const ItemList& items);
  void number_groups();
  void store() const;
  void report() const;
  void report_group(const ItemList& group) const;
  Figure figure_of(std::size_t item) const;
  static std::string list_of(const ItemList& group, bool tagged);

  Context& ctx_;
  std::vector<FrameKind> items_;
  std::vector<bool> passes_;
  std::vector<QueueHold> holds_{kItemCount};
  std::vector<std::string> reasons_{kItemCount};  ///< why the queue of an item is unknown
  std::vector<ItemList> groups_;
  std::array<std::optional<std::uint8_t>, kItemCount> queue_;
};

/// Sends frames of all items, and returns which of them arrived. If port D pauses a priority, only arrivals
/// before the end of the freeze count.
std::optional<std::vector<bool>> QueueMap::arrivals_of_all(std::optional<std::uint8_t> frozen_priority) {
  constexpr std::uint64_t kFrames = 3;
  Trial trial = ctx_.trial();
  trial.kinds = items_;
  Source source{.port = ctx_.roles().a, .start = ctx_.rig.settle(), .count = kFrames * kItemCount};
  for (std::size_t i = 0; i < kItemCount; ++i) {
    trial.kinds[i].record = true;
    source.kinds.push_back(static_cast<std::uint16_t>(i));
  }
  source.gap = time_on_wire(FrameWriter::frame_length(items_.back()),
                            std::min(ctx_.rate(ctx_.roles().a), ctx_.rate(ctx_.roles().d)));
  const Time until = source.start + source.count * source.gap + 2 * ctx_.rig.settle();
  trial.sources.push_back(source);
  if (frozen_priority)
    trial.freezes.push_back({.port = ctx_.roles().d,
                             .until = until,
                             .kind = roce::MacControl::Kind::kPfc,
                             .classes = static_cast<std::uint8_t>(1U << *frozen_priority)});
  trial.end = until + source.count * source.gap + 2 * ctx_.rig.settle();
  const auto result = ctx_.run_valid(trial);
  if (!result) return std::nullopt;
  std::vector<bool> out(kItemCount);
  for (const Arrival& a : result->arrivals)
    if (a.port == ctx_.roles().d && a.intact && (!frozen_priority || a.at < until)) out[a.kind] = true;
  return out;
}

bool QueueMap::find_passing() {
  const auto passes = arrivals_of_all({});
  if (!passes) return false;
  passes_ = *passes;
  for (std::size_t i = 0; i < kItemCount; ++i)
    if (!passes_[i]) reasons_[i] = "the switch does not forward these frames";
  return true;
}

/// Finds the PFC priority that stops each item.
bool QueueMap::find_priorities() {
  for (std::uint8_t priority = 0; priority < roce::kPriorities; ++priority) {
    const auto came = arrivals_of_all(priority);
    if (!came) return false;
    for (std::size_t i = 0; i < kItemCount; ++i)
      if (passes_[i] && !(*came)[i]) holds_[i] = {QueueHold::How::kPfc, priority};
  }
  return true;
}

bool QueueMap::find_holds() {
  switch (ctx_.findings.obeyed) {
    case roce::PauseMode::kPause:
      std::fill(holds_.begin(), holds_.end(), QueueHold{QueueHold::How::kPause, 0});
      return true;
    case roce::PauseMode::kPfc:
      return find_priorities();
    case roce::PauseMode::kOff:
      break;
  }
  return true;
}

/// Divides items that are held back in the same way into groups of items that share a queue. Returns false if
/// the rig failed.
bool QueueMap::split(const QueueHold& hold, const ItemList& items) {
  std::optional<Freeze> freeze;
  if (hold.how == QueueHold::How::kPause) freeze = Freeze{.kind = roce::MacControl::Kind::kPause};
  if (hold.how == QueueHold::How::kPfc)
    freeze = Freeze{.kind = roce::MacControl::Kind::kPfc,
                    .classes = static_cast<std::uint8_t>(1U << hold.priority)};
  std::string failure;
  if (!freeze && items.size() > 1 && !OrderTrials::can_overload(ctx_)) {
    failure = "no pause frame holds these frames back, and the senders cannot overload port D";
  } else {
    OrderTrials trials(ctx_, items_, freeze);
    const auto groups =
        groups_by_order(items, [&](const OrderQuestion& question) { return trials.answer(question); });
    if (groups) {
      groups_.insert(groups_.end(), groups->begin(), groups->end());
      return true;
    }
    if (trials.rig_failed()) return false;
    failure = trials.failure();
  }
  for (const std::size_t item : items) reasons_[item] = failure;
  return true;
}

/// Numbers each group by its lowest DSCP, or by kDscpCount plus its lowest PCP if it contains no DSCP.
void QueueMap::number_groups() {
  std::sort(groups_.begin(), groups_.end());
  for (const ItemList& group : groups_)
    for (const std::size_t item : group) queue_[item] = static_cast<std::uint8_t>(group.front());
}

void QueueMap::store() const {
  auto& map = ctx_.findings.queue_of_dscp.emplace();
  for (std::size_t dscp = 0; dscp < kDscpCount; ++dscp) map[dscp] = queue_[dscp].value_or(Findings::kNoQueue);
}

/// Returns the DSCPs (or PCPs) of a group, such as "0-7, 9".
std::string QueueMap::list_of(const ItemList& group, bool tagged) {
  std::string out;
  for (std::size_t i = 0; i < group.size();) {
    std::size_t end = i + 1;
    while (end < group.size() && group[end] == group[end - 1] + 1 && group[end] != kDscpCount) ++end;
    if ((group[i] >= kDscpCount) == tagged) {
      const std::size_t base = tagged ? kDscpCount : 0;
      if (!out.empty()) out += ", ";
      out += std::to_string(group[i] - base);
      if (end - i > 1) out += "-" + std::to_string(group[end - 1] - base);
    }
    i = end;
  }
  return out;
}

void QueueMap::report_group(const ItemList& group) const {
  const std::map<std::string, std::string> labels{{"queue", std::to_string(group.front())}};
  const auto add_list = [&](const char* name, bool tagged) {
    const std::string list = list_of(group, tagged);
    if (!list.empty()) ctx_.add({.name = name, .labels = labels, .method = Method::kOrder, .text = list});
  };
  add_list("dscps", false);
  add_list("pcps", true);
  const QueueHold& hold = holds_[group.front()];
  if (hold.how != QueueHold::How::kPfc) return;
  const double priority = hold.priority;
  ctx_.add({.name = "pfc_priority",
            .labels = labels,
            .value = priority,
            .low = priority,
            .high = priority,
            .method = Method::kOrder});
}

Figure QueueMap::figure_of(std::size_t item) const {
  const bool tagged = item >= kDscpCount;
  Figure out{.name = tagged ? "pcp_map" : "map",
             .labels = {{tagged ? "pcp" : "dscp", std::to_string(tagged ? item - kDscpCount : item)}},
             .method = Method::kOrder};
  if (queue_[item]) {
    out.value = out.low = out.high = *queue_[item];
    return out;
  }
  out.status = passes_[item] ? Status::kUnresolvable : Status::kAbsent;
  out.reason = reasons_[item];
  return out;
}

void QueueMap::report() const {
  const bool complete =
      std::all_of(queue_.begin(), queue_.begin() + kDscpCount, [](const auto& q) { return q; });
  const auto queues = static_cast<double>(std::count_if(
      groups_.begin(), groups_.end(), [](const ItemList& g) { return g.front() < kDscpCount; }));
  Figure count{.name = "queues", .value = queues, .low = queues, .method = Method::kOrder};
  if (complete) {
    count.high = queues;
  } else {
    count.status = Status::kBounded;
    count.reason = "the queues of some DSCPs are not known";
  }
  ctx_.add(count);
  for (const ItemList& group : groups_) report_group(group);
  for (std::size_t item = 0; item < kItemCount; ++item) ctx_.add(figure_of(item));
}

void QueueMap::run() {
  const Roles& roles = ctx_.roles();
  constexpr std::uint32_t kSize = 1026;
  const std::uint32_t size = std::min(kSize, ctx_.large_size(roles.a, roles.d));
  items_.assign(kItemCount, ctx_.frame(roles.d, size));
  for (std::uint8_t dscp = 0; dscp < kDscpCount; ++dscp) items_[dscp].dscp = dscp;
  for (std::uint8_t pcp = 0; pcp < kPcpCount; ++pcp) items_[kDscpCount + pcp].vlan = roce::VlanTag{0, pcp};
  if (!find_passing() || !find_holds()) return ctx_.inconclusive();
  std::map<QueueHold, ItemList> held;
  for (std::size_t item = 0; item < kItemCount; ++item)
    if (passes_[item]) held[holds_[item]].push_back(item);
  for (const auto& [hold, list] : held)
    if (!split(hold, list)) return ctx_.inconclusive();
  if (groups_.empty()) {
    const auto first = std::find(passes_.begin(), passes_.end(), true);
    return ctx_.unresolvable(
        reasons_[first == passes_.end() ? 0 : static_cast<std::size_t>(first - passes_.begin())]);
  }
  number_groups();
  store();
  report();
}

}  // namespace

void run_dscp(Context& ctx) { QueueMap(ctx).run(); }

}  // namespace softfeb::switchtest
