// SPDX-License-Identifier: BSD-3-Clause
// The table of each algorithm's parameters. To add a parameter, add a member to the algorithm's struct and a
// line here, then document the key in conf/reference.yaml.
#include "congestion/built_in.hpp"
#include "congestion/homa_algorithm.hpp"
#include "congestion/hpcc.hpp"
#include "congestion/swift.hpp"
#include "congestion/timely.hpp"

#include <array>

namespace softfeb::congestion {

namespace {

using T = TimelyParameters;
constexpr std::array kTimely{
    rate<&T::line_rate>("line_rate", 1, "highest rate"),
    rate<&T::min_rate>("min_rate", 1, "lowest rate"),
    rate<&T::initial_rate>("initial_rate", 1, "rate at the start"),
    real<&T::alpha>("alpha", 0, 1, "weight of the newest RTT difference in the average"),
    real<&T::beta>("beta", 0, 1, "how strongly rising RTTs, and RTTs above t_high, reduce the rate"),
    real<&T::beta_patched>("beta_patched", 0, 1,
                           "patched_timely: how strongly RTTs between t_low and t_high reduce the rate"),
    rate<&T::delta>("delta", 0, "amount of an additive increase"),
    time<&T::t_low>("t_low", 0, "the rate always increases if the RTT is below this value"),
    time<&T::t_high>("t_high", kLeastTime, "the rate always decreases if the RTT is above this value"),
    time<&T::min_rtt>("min_rtt", kLeastTime, "RTT by which RTT differences are divided to get the gradient"),
    time<&T::rtt_ref>("rtt_ref", kLeastTime, "patched_timely: the RTT at which the error is 0"),
    time<&T::rtt_offset>("rtt_offset", 0, "time that is subtracted from every RTT"),
    count<&T::hai_events>(
        "hai_events", 1, kHighestCount,
        "number of consecutive decreases of the RTT after which additive increases become larger"),
    count<&T::hai_factor>("hai_factor", 1, kHighestCount,
                          "factor by which additive increases are then multiplied"),
    real<&T::max_decrease>("max_decrease", 0, 1, "smallest factor by which a decrease multiplies the rate"),
    time<&T::update_interval>("update_interval", 0, "shortest time between two samples that are used"),
    time<&T::idle_reset>("idle_reset", 0,
                         "time without a sample after which the previous RTT is no longer used"),
    real<&T::timeout_factor>("timeout_factor", 0, 1, "factor by which a timeout multiplies the rate"),
    size<&T::ack_spacing>("ack_spacing", 0, "bytes between two packets that request an acknowledgement"),
};

using S = SwiftParameters;
constexpr double kHighestWindow = 1'000'000;
constexpr double kLeastWindow = 1e-6;
constexpr std::array kSwift{
    size<&S::packet>("packet", 1, "size of a full packet, from the BTH to the pad"),
    count<&S::hops>("hops", 0, 255, "number of switches on the path, used if packets do not count them"),
    time<&S::base_target>("base_target", kLeastTime,
                          "target of the fabric's delay, before hop_delay and flow scaling are added"),
    time<&S::hop_delay>("hop_delay", 0, "time that is added to the target for each switch"),
    time<&S::fs_range>("fs_range", 0, "maximum time that flow scaling adds to the target"),
    real<&S::fs_min_cwnd>("fs_min_cwnd", kLeastWindow, kHighestWindow,
                          "flow scaling adds fs_range if the window is at most this many packets"),
    real<&S::fs_max_cwnd>("fs_max_cwnd", kLeastWindow, kHighestWindow,
                          "flow scaling adds nothing if the window is at least this many packets"),
    real<&S::ai>("ai", 0, 1000, "additive increase of the window per round trip, in packets"),
    real<&S::beta>("beta", 0, 1, "how strongly delays above the target reduce the window"),
    real<&S::max_mdf>("max_mdf", 0, 1, "maximum share of the window by which one decrease reduces it"),
    real<&S::min_cwnd>("min_cwnd", kLeastWindow, kHighestWindow, "smallest window, in packets"),
    real<&S::max_cwnd>("max_cwnd", kLeastWindow, kHighestWindow, "largest window, in packets"),
    real<&S::initial_cwnd>("initial_cwnd", kLeastWindow, kHighestWindow, "window at the start, in packets"),
    time<&S::endpoint_target>("endpoint_target", 0,
                              "target of the receiver's delay; 0: this delay does not limit the window"),
    real<&S::endpoint_gain>("endpoint_gain", 0, 1, "weight of the newest receiver delay in the average"),
    count<&S::retx_reset_threshold>(
        "retx_reset_threshold", 1, kHighestCount,
        "number of consecutive timeouts after which the window is set to min_cwnd"),
    real<&S::limited_factor>("limited_factor", 0, 1000,
                             "the window does not grow while it is at least this factor times the number of "
                             "packets in flight; 0: no such limit"),
};

using H = HpccParameters;
constexpr std::array kHpcc{
    rate<&H::line_rate>("line_rate", 1, "rate of the board's link"),
    rate<&H::min_rate>("min_rate", 1, "lowest rate"),
    time<&H::base_rtt>(
        "base_rtt", kLeastTime,
        "base RTT (T in the HPCC paper), slightly longer than the longest RTT with empty queues"),
    real<&H::eta>("eta", 0.01, 1, "target utilization"),
    count<&H::max_stage>("max_stage", 0, kHighestCount,
                         "number of additive steps between two multiplicative steps"),
    real<&H::w_ai>("w_ai", 0, kHighestSize, "size of an additive step in bytes"),
    real<&H::initial_u>("initial_u", 0, 1000, "assumed utilization until the first measurement"),
    time<&H::stale_after>("stale_after", kLeastTime,
                          "maximum age of an INT record with which a new record is compared"),
};

/// Time for which a full packet occupies the wire.
Time full_packet_time(const PathFacts& path) {
  return static_cast<Time>(static_cast<double>(path.pmtu + path.overhead) * static_cast<double>(kSecond) /
                           static_cast<double>(path.line_rate));
}

constexpr std::uint32_t kBth = 12;

void set_timely(TimelyParameters& p, const PathFacts& path) {
  p.line_rate = p.initial_rate = path.line_rate;
  p.rtt_offset = full_packet_time(path);
}
void set_swift(SwiftParameters& p, const PathFacts& path) { p.packet = path.pmtu + kBth; }
void set_hpcc(HpccParameters& p, const PathFacts& path) { p.line_rate = path.line_rate; }

constexpr std::array kTimelyOrder{Ordered{"min_rate", "line_rate"}, Ordered{"min_rate", "initial_rate"},
                                  Ordered{"initial_rate", "line_rate"}, Ordered{"t_low", "t_high"}};
constexpr std::array kSwiftOrder{Ordered{"fs_min_cwnd", "fs_max_cwnd", true},
                                 Ordered{"min_cwnd", "max_cwnd"}};
constexpr std::array kHpccOrder{Ordered{"min_rate", "line_rate"}};

constexpr std::uint8_t kNoProfile = 0, kDelayProfile = 1, kIntProfile = 2;

const BuiltIn<Timely, T> kTimelyAlgorithm({"timely", "TIMELY (SIGCOMM 2015): a rate from RTT gradients",
                                           kTimely, kTimelyOrder, set_timely, kNeedsAcks});
const BuiltIn<Timely, T> kPatchedTimely({"patched_timely",
                                         "Patched TIMELY (CoNEXT 2016): a rate from RTTs and their gradients",
                                         kTimely,
                                         kTimelyOrder,
                                         set_timely,
                                         kNeedsAcks,
                                         kNoProfile,
                                         {.variant = TimelyVariant::kPatched}});
const BuiltIn<Swift, S> kSwiftAlgorithm({"swift", "Swift (SIGCOMM 2020): a window from delays", kSwift,
                                         kSwiftOrder, set_swift, kNeedsAcks, kDelayProfile});
const BuiltIn<Hpcc, H> kHpccAlgorithm({"hpcc", "HPCC (SIGCOMM 2019): a window from the switches' INT records",
                                       kHpcc, kHpccOrder, set_hpcc, Needs{kNeedsAcks | kNeedsIntRecords},
                                       kIntProfile});
const std::array<const Algorithm*, 5> kAlgorithms{&kTimelyAlgorithm, &kPatchedTimely, &kSwiftAlgorithm,
                                                  &kHpccAlgorithm, &homa_algorithm()};

}  // namespace

std::span<const Algorithm* const> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm* a : kAlgorithms) {
    if (a->name() == name) return a;
  }
  return nullptr;
}

}  // namespace softfeb::congestion
