// SPDX-License-Identifier: BSD-3-Clause
// ECN marking of a measured switch.
#include "config/values.hpp"
#include "report/measured_switch.hpp"

#include <algorithm>

namespace softfeb::report {

namespace {

using switchtest::Figure;
using switchtest::Status;

constexpr double kBillionthsPerPercent = 1e7;

/// Sets kmin and kmax. If the test did not see the end of the curve, every kmax above the longest observed
/// queue agrees with the measurement. In this case, kmax is set to a value just above the longest observed
/// queue.
void add_thresholds(const FigureIndex& figures, const Figure& kmin, const Figure& kmax,
                    fabric::EcnMarking& ecn) {
  const WholeRange low = range_of(kmin);
  WholeRange high = range_of(kmax);
  if (kmax.status == Status::kBounded) {
    constexpr double kLittle = 1.02;
    high = whole_range(*kmax.low, *kmax.low * kLittle);
  }
  ecn.kmin = roundest_size(low);
  ecn.kmax = roundest_size(high);
  if (figures.find("ecn", "pmax") != nullptr && !figures.find("ecn", "pmax")->low && !low.meet(high).empty())
    ecn.kmin = ecn.kmax = roundest_size(low.meet(high));  // equal thresholds
  ecn.kmax = std::max(ecn.kmax, ecn.kmin);
}

void add_greatest_share(const FigureIndex& figures, const std::string& queue, fabric::EcnMarking& ecn,
                        MeasuredSwitch& out) {
  const Figure* const pmax = figures.find("ecn", "pmax");
  if (pmax == nullptr || !pmax->low) return;
  const double low = *pmax->low;
  const WholeRange range =
      whole_range(low * kBillionthsPerPercent, pmax->high.value_or(low) * kBillionthsPerPercent);
  ecn.pmax = config::Probability{static_cast<std::uint32_t>(roundest_decimal(range))}.parts();
  out.notes[queue + "pmax"] = interval_note("ecn", *pmax);
}

/// Sets whether the switch marks at enqueue or at dequeue, the weight of the average queue length, and the
/// treatment of Not-ECT frames. The tests observe only one queue, but these settings apply to all queues.
void add_mode(const FigureIndex& figures, fabric::EcnMarking& ecn, MeasuredSwitch& out) {
  const std::string where = figures.word("ecn", "where");
  if (where == "dequeue") {
    ecn.at_dequeue = true;
    out.notes["ecn.at"] = "ecn: at dequeue";
  } else if (where.empty()) {
    out.unknown_key("ecn.at", figures.why_not("ecn", "where"));
  }
  if (const Figure* const weight = figures.measured("ecn", "average_weight")) {
    constexpr std::uint64_t kMost = 15;
    ecn.weight = static_cast<std::uint8_t>(
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(*weight->value + 0.5), 1, kMost));
    out.notes["ecn.weight"] = interval_note("ecn", *weight);
  }
  if (const Figure* const dropped = figures.measured("codepoints", "not_ect_dropped")) {
    ecn.drop_not_ect = true;
    out.notes["ecn.not_ect"] = interval_note("codepoints, share of Not-ECT dropped", *dropped);
  }
}

}  // namespace

void add_marking(const FigureIndex& figures, MeasuredSwitch& out) {
  const Figure* const kmin = figures.measured("ecn", "kmin_bytes");
  const Figure* const kmax = figures.find("ecn", "kmax_bytes");
  if (figures.absent("ecn", "kmin_bytes")) return;
  if (kmin == nullptr || kmax == nullptr || !kmax->low)
    return out.unknown_key("ecn", figures.why_not("ecn", "kmin_bytes"));
  fabric::EcnMarking ecn{.enabled = true};
  const std::string queue = "queues." + std::to_string(out.data_queue) + '.';
  add_thresholds(figures, *kmin, *kmax, ecn);
  out.notes[queue + "kmin"] = interval_note("ecn", *kmin);
  out.notes[queue + "kmax"] = interval_note("ecn", *kmax);
  add_greatest_share(figures, queue, ecn, out);
  add_mode(figures, ecn, out);
  if (figures.word("ecn", "scope") == "port")
    out.unknown_key("ecn.scope", "ecn: the length of the whole port counts; in the lab, that of the queue");
  // A queue could not reach a kmin above the memory that it may use, so limit kmin.
  const std::uint64_t most = out.config.port_limit != 0 ? out.config.port_limit : out.config.buffer;
  ecn.kmin = std::min(ecn.kmin, most - 1);
  for (fabric::QueueConfig& other : out.config.queues)
    other.ecn = {.at_dequeue = ecn.at_dequeue, .weight = ecn.weight, .drop_not_ect = ecn.drop_not_ect};
  out.config.queues[out.data_queue].ecn = ecn;
}

}  // namespace softfeb::report
