// SPDX-License-Identifier: BSD-3-Clause
// The table of each algorithm's parameters. To add a parameter, add a member to the algorithm's struct and a
// line here, then document the key in conf/reference.yaml.
#include "congestion/algorithm.hpp"
#include "congestion/hpcc.hpp"
#include "congestion/swift.hpp"
#include "congestion/timely.hpp"

#include <array>
#include <new>
#include <utility>

namespace softfeb::congestion {

namespace {

constexpr double kHighestRate = 125e9;                       // 1 Tb/s
constexpr auto kHighestTime = static_cast<double>(kSecond);  // longer than any RTT or timer
constexpr auto kLeastTime = 1.0;                             // ps; a divisor must not be 0
constexpr double kHighestCount = 1'000'000;
constexpr double kHighestSize = 1U << 30;

/// A parameter, and how to read and write it in the algorithm's struct.
template <class P>
struct Field : Parameter {
  double (*get)(const P&) = nullptr;
  void (*set)(P&, double) = nullptr;
};

template <auto Member>
struct Access;

template <class P, class V, V P::*Member>
struct Access<Member> {
  using Struct = P;
  static double get(const P& p) { return static_cast<double>(p.*Member); }
  static void set(P& p, double value) { p.*Member = static_cast<V>(value); }
};

template <auto Member>
constexpr auto field(const Parameter& parameter) {
  using A = Access<Member>;
  return Field<typename A::Struct>{parameter, A::get, A::set};
}

template <auto Member>
constexpr auto rate(std::string_view name, double lowest, std::string_view text) {
  return field<Member>({name, Unit::kRate, lowest, kHighestRate, text});
}
template <auto Member>
constexpr auto time(std::string_view name, double lowest, std::string_view text) {
  return field<Member>({name, Unit::kTime, lowest, kHighestTime, text});
}
template <auto Member>
constexpr auto count(std::string_view name, double lowest, double highest, std::string_view text) {
  return field<Member>({name, Unit::kCount, lowest, highest, text});
}
template <auto Member>
constexpr auto real(std::string_view name, double lowest, double highest, std::string_view text) {
  return field<Member>({name, Unit::kReal, lowest, highest, text});
}
template <auto Member>
constexpr auto size(std::string_view name, double lowest, std::string_view text) {
  return field<Member>({name, Unit::kSize, lowest, kHighestSize, text});
}

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

/// Time on the wire of a full packet.
Time full_packet_time(const PathFacts& path) {
  return static_cast<Time>(static_cast<double>(path.pmtu + path.overhead) * static_cast<double>(kSecond) /
                           static_cast<double>(path.line_rate));
}

constexpr std::uint32_t kBth = 12;

void set_defaults(TimelyParameters& p, const PathFacts& path) {
  p.line_rate = p.initial_rate = path.line_rate;
  p.rtt_offset = full_packet_time(path);
}
void set_defaults(SwiftParameters& p, const PathFacts& path) { p.packet = path.pmtu + kBth; }
void set_defaults(HpccParameters& p, const PathFacts& path) { p.line_rate = path.line_rate; }

/// A pair of parameters of which the first must not exceed the second.
struct Ordered {
  std::string_view low;
  std::string_view high;
  bool strictly = false;  ///< true: the two must not be equal either
};
constexpr std::array kTimelyOrder{Ordered{"min_rate", "line_rate"}, Ordered{"min_rate", "initial_rate"},
                                  Ordered{"initial_rate", "line_rate"}, Ordered{"t_low", "t_high"}};
constexpr std::array kSwiftOrder{Ordered{"fs_min_cwnd", "fs_max_cwnd", true},
                                 Ordered{"min_cwnd", "max_cwnd"}};
constexpr std::array kHpccOrder{Ordered{"min_rate", "line_rate"}};

/// An algorithm whose CongestionControl objects are of class `Control`, with parameters `P`.
template <class Control, class P>
class BuiltIn final : public Algorithm {
 public:
  struct Facts {
    std::string_view name;
    std::string_view summary;
    std::span<const Field<P>> fields;
    std::span<const Ordered> order;
    Needs needs;
    std::uint8_t profile = 0;
    P initial{};
  };

  explicit BuiltIn(const Facts& facts)
      : facts_(facts), parameters_(facts.fields.begin(), facts.fields.end()), hooks_(Control().hooks()) {}

  std::string_view name() const override { return facts_.name; }
  std::string_view summary() const override { return facts_.summary; }
  std::span<const Parameter> parameters() const override { return parameters_; }
  Hooks hooks() const override { return hooks_; }
  Needs needs() const override { return facts_.needs; }
  std::uint8_t header_profile() const override { return facts_.profile; }
  std::size_t bytes() const override { return sizeof(Control); }

  ParameterValues defaults(const PathFacts& path) const override {
    P p = facts_.initial;
    set_defaults(p, path);
    ParameterValues values;
    for (const auto& f : facts_.fields) values.push_back(f.get(p));
    return values;
  }
  std::optional<Conflict> conflict(std::span<const double> values) const override {
    for (const Ordered& o : facts_.order) {
      const std::size_t low = index(o.low), high = index(o.high);
      if (values[low] < values[high] || (values[low] == values[high] && !o.strictly)) continue;
      const std::string other = '`' + std::string(o.high) + '`';
      return Conflict{low, (o.strictly ? "not below " : "above ") + other,
                      "write a smaller `" + std::string(o.low) + "` or a larger " + other};
    }
    return std::nullopt;
  }
  CongestionControl* make(void* place, std::span<const double> values, const PathFacts&) const override {
    return new (place) Control(parameters_of(values));
  }
  Change change(CongestionControl& control, std::span<const double> values, Time now) const override {
    auto* const c = dynamic_cast<Control*>(&control);
    if (c == nullptr) return Change::kRefused;
    const P p = parameters_of(values);
    if (c->parameters() == p) return Change::kNone;
    c->set_parameters(p, now);
    return Change::kMade;
  }

 private:
  std::size_t index(std::string_view name) const {
    std::size_t i = 0;
    while (parameters_[i].name != name) ++i;
    return i;
  }
  P parameters_of(std::span<const double> values) const {
    P p = facts_.initial;
    for (std::size_t i = 0; i < facts_.fields.size(); ++i) facts_.fields[i].set(p, values[i]);
    return p;
  }

  Facts facts_;
  std::vector<Parameter> parameters_;
  Hooks hooks_;
};

constexpr std::uint8_t kNoProfile = 0, kDelayProfile = 1, kIntProfile = 2;

const BuiltIn<Timely, T> kTimelyAlgorithm({"timely", "TIMELY (SIGCOMM 2015): a rate from RTT gradients",
                                           kTimely, kTimelyOrder, kNeedsAcks});
const BuiltIn<Timely, T> kPatchedTimely({"patched_timely",
                                         "Patched TIMELY (CoNEXT 2016): a rate from RTTs and their gradients",
                                         kTimely,
                                         kTimelyOrder,
                                         kNeedsAcks,
                                         kNoProfile,
                                         {.variant = TimelyVariant::kPatched}});
const BuiltIn<Swift, S> kSwiftAlgorithm({"swift", "Swift (SIGCOMM 2020): a window from delays", kSwift,
                                         kSwiftOrder, kNeedsAcks, kDelayProfile});
const BuiltIn<Hpcc, H> kHpccAlgorithm({"hpcc", "HPCC (SIGCOMM 2019): a window from the switches' INT records",
                                       kHpcc, kHpccOrder, Needs{kNeedsAcks | kNeedsIntRecords}, kIntProfile});
constexpr std::array<const Algorithm*, 4> kAlgorithms{&kTimelyAlgorithm, &kPatchedTimely, &kSwiftAlgorithm,
                                                      &kHpccAlgorithm};

}  // namespace

std::span<const Algorithm* const> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(std::string_view name) {
  for (const Algorithm* a : kAlgorithms) {
    if (a->name() == name) return a;
  }
  return nullptr;
}

}  // namespace softfeb::congestion
