// SPDX-License-Identifier: BSD-3-Clause
// Queues of a measured switch: which DSCPs share a queue, and the order of the queues.
#include "report/measured_switch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Figure;

constexpr std::size_t kDscps = 64;

/// DSCPs and PCPs that share a queue. Tests name the queue after its lowest DSCP; if the queue has no DSCP,
/// its name is the number 64 plus its lowest PCP.
struct QueueGroup {
  unsigned number = 0;
  std::vector<unsigned> dscps, pcps;
  std::optional<unsigned> priority{};  ///< PFC class whose pauses stop the queue
  bool strict = false;
};

/// Extracts the numbers from a text such as "0, 8".
std::vector<unsigned> numbers_in(const std::string& text) {
  std::vector<unsigned> out;
  for (const char* at = text.c_str(); *at != 0;) {
    char* end = nullptr;
    const unsigned long n = std::strtoul(at, &end, 10);
    if (end == at) {
      ++at;
      continue;
    }
    out.push_back(static_cast<unsigned>(n));
    at = end;
  }
  return out;
}

/// Assigns numbers to the queues of a measured switch, and writes their settings.
class QueueNumbers {
 public:
  QueueNumbers(const FigureIndex& figures, MeasuredSwitch& out) : figures_(figures), out_(out) {}
  void run();

 private:
  QueueGroup& group(unsigned number);
  QueueGroup& group_of_dscp(unsigned dscp);
  void find_groups();
  void find_groups_by_priority();
  void find_order();
  void assign();
  void assign_strict();
  void assign_others();
  void take(const QueueGroup& group, std::size_t queue);
  void write_maps();
  void write_pcp_map();
  void write_strict();

  const FigureIndex& figures_;
  MeasuredSwitch& out_;
  std::vector<QueueGroup> groups_;
  std::vector<std::vector<unsigned>> levels_;  ///< numbers of groups; the first level is served first
  std::map<unsigned, std::size_t> queue_of_;   ///< queue number by group number
  std::array<bool, fabric::kQueues> taken_{};
};

QueueGroup& QueueNumbers::group(unsigned number) {
  const auto it =
      std::find_if(groups_.begin(), groups_.end(), [&](const QueueGroup& g) { return g.number == number; });
  return it == groups_.end() ? groups_.emplace_back(QueueGroup{.number = number, .dscps = {}, .pcps = {}})
                             : *it;
}

/// Returns the queue that has this DSCP, and adds the queue if there is none. Tests name a queue by one of
/// its DSCPs.
QueueGroup& QueueNumbers::group_of_dscp(unsigned dscp) {
  for (QueueGroup& g : groups_)
    if (std::find(g.dscps.begin(), g.dscps.end(), dscp) != g.dscps.end()) return g;
  QueueGroup& added = group(dscp);
  if (dscp < kDscps) added.dscps.push_back(dscp);
  return added;
}

void QueueNumbers::find_groups() {
  for (const Figure* const f : figures_.all("dscp", "map"))
    if (f->value)
      group(static_cast<unsigned>(*f->value)).dscps.push_back(numbers_in(f->labels.at("dscp")).front());
  for (const Figure* const f : figures_.all("dscp", "pcp_map"))
    if (f->value)
      group(static_cast<unsigned>(*f->value)).pcps.push_back(numbers_in(f->labels.at("pcp")).front());
  for (const Figure* const f : figures_.all("dscp", "pfc_priority"))
    if (f->value)
      group(numbers_in(f->labels.at("queue")).front()).priority = static_cast<unsigned>(*f->value);
  if (!groups_.empty()) return;
  out_.unknown_key("dscp_to_queue", figures_.why_not("dscp", "map"));
  find_groups_by_priority();
}

/// Groups DSCPs by the PFC class that stops them. The test `preflight` finds these classes, so the DSCPs
/// can be grouped without the test `dscp`.
void QueueNumbers::find_groups_by_priority() {
  const auto& priorities = figures_.report().findings.priority_of_dscp;
  std::map<unsigned, unsigned> group_of;  // number of the group by PFC class
  for (unsigned dscp = 0; dscp < kDscps; ++dscp) {
    if (!priorities[dscp]) continue;
    QueueGroup& g = group(group_of.emplace(*priorities[dscp], dscp).first->second);
    g.priority = *priorities[dscp];
    g.dscps.push_back(dscp);
  }
}

/// Evaluates the order, such as "56 > 48 > 0, 8". A queue that is alone in a level has strict priority,
/// unless this level is the last one.
void QueueNumbers::find_order() {
  const std::string order = figures_.word("scheduler", "order");
  if (order.empty()) {
    if (groups_.size() > 1)
      out_.unknown_key("queues: order and weights", figures_.why_not("scheduler", "order"));
    return;
  }
  for (std::size_t begin = 0; begin < order.size();) {
    const std::size_t end = std::min(order.find('>', begin), order.size());
    auto& level = levels_.emplace_back();
    for (const unsigned dscp : numbers_in(order.substr(begin, end - begin)))
      level.push_back(group_of_dscp(dscp).number);
    begin = end + 1;
  }
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    if (levels_[l].size() == 1) {
      group(levels_[l].front()).strict = true;
    } else {
      out_.unknown_key("queues: strict",
                       "scheduler: " + order + "; here, only single queues can be served before others");
    }
  }
}

void QueueNumbers::take(const QueueGroup& g, std::size_t queue) {
  queue_of_[g.number] = queue;
  taken_[queue] = true;
}

/// Numbers the strict queues in descending order, because the model serves the strict queue with the highest
/// number first.
void QueueNumbers::assign_strict() {
  std::size_t below = fabric::kQueues;
  for (const auto& level : levels_) {
    const QueueGroup& g = group(level.front());
    if (!g.strict) continue;
    if (const auto known = queue_of_.find(g.number); known != queue_of_.end()) {
      if (known->second > below)
        out_.unknown_key("queues: strict", "PFC classes and priorities are in different orders");
      below = known->second;
      continue;
    }
    std::size_t queue = below;
    while (queue != 0 && taken_[queue - 1]) --queue;
    if (queue == 0) return;
    take(g, queue - 1);
    below = queue - 1;
  }
}

/// Numbers the other queues. The queue with the most DSCPs becomes queue 0, so that only a few DSCPs have to
/// be listed.
void QueueNumbers::assign_others() {
  std::vector<const QueueGroup*> rest;
  for (const QueueGroup& g : groups_)
    if (queue_of_.count(g.number) == 0) rest.push_back(&g);
  const auto most = std::max_element(rest.begin(), rest.end(), [](const auto* a, const auto* b) {
    return a->dscps.size() < b->dscps.size();
  });
  if (most != rest.end()) std::rotate(rest.begin(), most, most + 1);
  for (const QueueGroup* const g : rest) {
    const auto* const free = std::find(taken_.begin(), taken_.end(), false);
    if (free == taken_.end()) {
      out_.unknown_key("queues", "there are more queues than the lab's switches have");
      queue_of_[g->number] = 0;
    } else {
      take(*g, static_cast<std::size_t>(free - taken_.begin()));
    }
  }
}

/// Assigns a number to each queue. A queue with a PFC class gets the number of this class. The numbers of
/// other queues cannot be measured, so they follow from the order of the queues.
void QueueNumbers::assign() {
  for (const QueueGroup& g : groups_)
    if (g.priority && *g.priority < fabric::kQueues && !taken_[*g.priority]) take(g, *g.priority);
  assign_strict();
  assign_others();
}

void QueueNumbers::write_maps() {
  for (const QueueGroup& g : groups_) {
    const auto queue = static_cast<std::uint8_t>(queue_of_.at(g.number));
    for (const unsigned dscp : g.dscps) out_.config.dscp_to_queue[dscp] = queue;
  }
  if (groups_.size() > 1)
    out_.notes["dscp_to_queue"] =
        fmt::format("dscp: {} queues; {}", groups_.size(),
                    std::any_of(groups_.begin(), groups_.end(), [](const auto& g) { return g.priority; })
                        ? "their numbers are their PFC classes"
                        : "their numbers cannot be seen");
  std::size_t missing = 0;
  for (const Figure* const f : figures_.all("dscp", "map")) missing += f->value ? 0 : 1;
  if (missing != 0)
    out_.unknown_key("dscp_to_queue",
                     fmt::format("for {} DSCPs: {}", missing, figures_.why_not("dscp", "map")));
  out_.data_queue = out_.config.dscp_to_queue[figures_.report().settings.dscp];
  write_pcp_map();
}

/// Writes a map from PCPs to queues if the switch uses the PCP. If tagged frames use the queue of their DSCP
/// whatever their PCP is, the switch ignores the PCP.
void QueueNumbers::write_pcp_map() {
  const bool trusted = std::any_of(groups_.begin(), groups_.end(), [&](const QueueGroup& g) {
    return !g.pcps.empty() && queue_of_.at(g.number) != out_.data_queue;
  });
  if (!trusted) return;
  out_.config.trust_pcp = true;
  for (const QueueGroup& g : groups_)
    for (const unsigned pcp : g.pcps)
      out_.config.pcp_to_queue[pcp] = static_cast<std::uint8_t>(queue_of_.at(g.number));
  out_.notes["trust"] = "dscp: the PCP of tagged frames decides";
  out_.notes["pcp_to_queue"] = "dscp: pcp_map";
}

void QueueNumbers::write_strict() {
  for (const QueueGroup& g : groups_) {
    if (!g.strict) continue;
    const std::size_t queue = queue_of_.at(g.number);
    out_.config.queues[queue].weight = 0;
    out_.notes["queues." + std::to_string(queue) + ".weight"] =
        "scheduler: " + figures_.word("scheduler", "order");
  }
}

void QueueNumbers::run() {
  find_groups();
  find_order();
  assign();
  write_maps();
  write_strict();
}

}  // namespace

void add_queues(const FigureIndex& figures, MeasuredSwitch& out) { QueueNumbers(figures, out).run(); }

}  // namespace softfeb::report
