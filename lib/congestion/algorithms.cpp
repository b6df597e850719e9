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
    real<&T::alpha>("alpha", 0, 1, "weight of the newest RTT difference"),
    real<&T::beta>("beta", 0, 1, "strength of decreases"),
    real<&T::beta_patched>("beta_patched", 0, 1,
                           "patched_timely: strength of decreases between the thresholds"),
    rate<&T::delta>("delta", 0, "additive step"),
    time<&T::t_low>("t_low", 0, "below this RTT, the rate always rises"),
    time<&T::t_high>("t_high", kLeastTime, "above this RTT, the rate always falls"),
    time<&T::min_rtt>("min_rtt", kLeastTime, "RTT by which gradients are divided"),
    time<&T::rtt_ref>("rtt_ref", kLeastTime, "patched_timely: RTT without error"),
    time<&T::rtt_offset>("rtt_offset", 0, "subtracted from every RTT: the wire time of a packet"),
    count<&T::hai_events>("hai_events", 1, kHighestCount, "falling RTTs in a row before larger steps"),
    count<&T::hai_factor>("hai_factor", 1, kHighestCount, "additive steps in one larger step"),
    real<&T::max_decrease>("max_decrease", 0, 1, "smallest factor of a decrease"),
    time<&T::update_interval>("update_interval", 0, "shortest time between two samples that are used"),
    time<&T::idle_reset>("idle_reset", 0, "silence after which the previous RTT no longer counts"),
    real<&T::timeout_factor>("timeout_factor", 0, 1, "factor of the rate at a timeout"),
    size<&T::ack_spacing>("ack_spacing", 0, "bytes between two packets that request an acknowledgement"),
};

using S = SwiftParameters;
constexpr double kHighestWindow = 1'000'000;
constexpr double kLeastWindow = 1e-6;
constexpr std::array kSwift{
    size<&S::packet>("packet", 1, "size of a full packet, BTH through pad"),
    count<&S::hops>("hops", 0, 255, "switches on the path, if packets do not count them"),
    time<&S::base_target>("base_target", kLeastTime, "target of the fabric's delay without scaling"),
    time<&S::hop_delay>("hop_delay", 0, "added to the target for each switch"),
    time<&S::fs_range>("fs_range", 0, "largest addition to the target by flow scaling"),
    real<&S::fs_min_cwnd>("fs_min_cwnd", kLeastWindow, kHighestWindow,
                          "window in packets up to which flow scaling adds fs_range"),
    real<&S::fs_max_cwnd>("fs_max_cwnd", kLeastWindow, kHighestWindow,
                          "window in packets from which flow scaling adds nothing"),
    real<&S::ai>("ai", 0, 1000, "additive increase, packets per round trip"),
    real<&S::beta>("beta", 0, 1, "strength of decreases"),
    real<&S::max_mdf>("max_mdf", 0, 1, "largest relative decrease"),
    real<&S::min_cwnd>("min_cwnd", kLeastWindow, kHighestWindow, "smallest window, packets"),
    real<&S::max_cwnd>("max_cwnd", kLeastWindow, kHighestWindow, "largest window, packets"),
    real<&S::initial_cwnd>("initial_cwnd", kLeastWindow, kHighestWindow, "window at the start, packets"),
    time<&S::endpoint_target>("endpoint_target", 0, "target of the receiver's delay; 0: no such window"),
    real<&S::endpoint_gain>("endpoint_gain", 0, 1, "weight of the newest receiver delay"),
    count<&S::retx_reset_threshold>("retx_reset_threshold", 1, kHighestCount,
                                    "timeouts in a row that set the smallest window"),
    real<&S::limited_factor>(
        "limited_factor", 0, 1000,
        "windows of this many times the packets in flight do not grow; 0: they always grow"),
};

using H = HpccParameters;
constexpr std::array kHpcc{
    rate<&H::line_rate>("line_rate", 1, "rate of the board's link"),
    rate<&H::min_rate>("min_rate", 1, "lowest rate"),
    time<&H::base_rtt>("base_rtt", kLeastTime, "T, slightly above the longest RTT without queues"),
    real<&H::eta>("eta", 0.01, 1, "target utilization"),
    count<&H::max_stage>("max_stage", 0, kHighestCount, "additive steps before a multiplicative one"),
    real<&H::w_ai>("w_ai", 0, kHighestSize, "additive step, bytes"),
    real<&H::initial_u>("initial_u", 0, 1000, "utilization before the first measurement"),
    time<&H::stale_after>("stale_after", kLeastTime, "age at which INT records are no longer compared"),
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
