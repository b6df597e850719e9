// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.hpp"
#include "base/rng.hpp"
#include "benchmarks.hpp"
#include "craft_rig.hpp"
#include "measurement.hpp"

#include <array>
#include <cmath>
#include <memory>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kBth = 12;
constexpr std::uint32_t kSmallBoard = 64;        ///< number of queue pairs; their state fits into the caches
constexpr std::size_t kPayloadSlack = 1U << 16;  // room for the alignment of the payloads

// --- measurements of an algorithm's CongestionControl object without a board

engine::ControlledQp controlled_qp(const CongestionOptions& o) {
  return {.pmtu = o.pmtu, .messages = CraftOptions{}.send_queue};
}

/// A congestion control object, and the acknowledgements that it is given.
class MeasuredControl {
 public:
  MeasuredControl(const engine::CongestionSettings& settings, const CongestionOptions& o)
      : counted_(o.pmtu + kBth),
        message_packets_(o.packets),
        message_bytes_(o.packets * o.pmtu),
        memory_(std::make_unique<Memory[]>(
            engine::congestion_control_bytes(settings, controlled_qp(o)) / sizeof(Memory) + 1)),
        control_(engine::make_congestion_control(settings, memory_.get(), controlled_qp(o))),
        records_(needs_int_records(settings)),
        posted_(control_->uses(congestion::kOnPosted)) {
    control_->start(now_);
    Rng rng(1);
    for (Time& rtt : rtts_)  // RTTs of 10 µs to 1 ms, so that rates and windows grow and shrink
      rtt = static_cast<Time>(10e6 * std::pow(100.0, static_cast<double>(rng.below(1000)) / 1000));
  }
  ~MeasuredControl() { std::destroy_at(control_); }
  MeasuredControl(const MeasuredControl&) = delete;
  MeasuredControl& operator=(const MeasuredControl&) = delete;

  /// Simulates packets that are sent every 80 ns. Asks the algorithm when each packet may leave, and reports
  /// the packet as sent. If the algorithm uses messages, this function also reports when messages are posted
  /// and acknowledged, and asks for the credit, priority and rank of each packet.
  void packets(std::uint64_t times) {
    for (; times != 0; --times) {
      if (posted_) {
        follow_messages();
        keep_value(control_->credit(sent_));
        keep_value(control_->priority(sent_));
        keep_value(control_->rank(sent_));
      }
      keep_value(control_->departure(counted_, now_));
      control_->sent(counted_, now_);
      ++sent_;
      now_ += 80 * kNanosecond;
    }
  }

  /// Acknowledges a packet, then asks for the window and the next departure, as the engine does.
  void acknowledgements(std::uint64_t times) {
    for (; times != 0; --times) {
      now_ += 80 * kNanosecond;
      if (posted_ && acked_ % message_packets_ == 0) post(acked_);
      congestion::Ack ack{.sent_at = now_ - rtts_[sent_ % rtts_.size()],
                          .bytes = counted_,
                          .packets = 1,
                          .acked = ++acked_,
                          .sent = ++sent_ + 8};
      const congestion::IntRecord record{.rate_code = 0,
                                         .time = static_cast<std::uint32_t>(now_ / kNanosecond),
                                         .queue = static_cast<std::uint16_t>(1 + sent_ % 8)};
      if (records_) ack.records = {&record, 1};
      control_->ack(ack, now_);
      keep_value(control_->window());
      keep_value(control_->departure(counted_, now_));
    }
  }

  /// Delivers a CNP every 55 µs.
  void cnps(std::uint64_t times) {
    for (; times != 0; --times) {
      now_ += 55 * kMicrosecond;
      control_->cnp(now_);
      keep_value(control_->departure(counted_, now_));
    }
  }
  /// Delivers a grant for each packet of a message.
  void grants(std::uint64_t times) {
    for (; times != 0; --times) {
      follow_messages();
      control_->granted(++sent_, 0, now_);
      keep_value(control_->credit(sent_ - 1));
      keep_value(control_->departure(counted_, now_));
      now_ += 80 * kNanosecond;
    }
  }
  const congestion::CongestionControl& control() const { return *control_; }

 private:
  /// Posts the message that begins with packet `packet`.
  void post(std::uint64_t packet) { control_->posted(message_bytes_, packet / message_packets_, now_); }
  /// Before the first packet of a message, reports that the previous message was acknowledged, and posts the
  /// new message.
  void follow_messages() {
    if (sent_ % message_packets_ != 0) return;
    if (sent_ != 0) {
      control_->ack({.bytes = std::uint64_t{counted_} * message_packets_,
                     .packets = message_packets_,
                     .acked = sent_,
                     .sent = sent_},
                    now_);
    }
    post(sent_);
  }

  struct alignas(64) Memory {
    std::array<std::byte, 64> bytes;
  };

  std::uint32_t counted_;
  std::uint32_t message_packets_;
  std::uint32_t message_bytes_;
  std::unique_ptr<Memory[]> memory_;
  congestion::CongestionControl* control_;
  bool records_;
  bool posted_;
  Time now_ = kSecond;
  std::uint64_t sent_ = 0, acked_ = 0;
  std::array<Time, 64> rtts_{};
};

/// Adds the cost of each kind of event to which the algorithm reacts.
void add_object(Json& out, const engine::CongestionSettings& settings, const CongestionOptions& o) {
  Costs costs;
  const auto add = [&](const char* name, void (MeasuredControl::*work)(std::uint64_t)) {
    const auto subject = std::make_shared<MeasuredControl>(settings, o);
    costs.add(name, [subject, work](std::uint64_t times) { (subject.get()->*work)(times); });
  };
  const MeasuredControl example(settings, o);
  add("packet", &MeasuredControl::packets);
  if (example.control().uses(congestion::kOnAck)) add("ack", &MeasuredControl::acknowledgements);
  if (example.control().uses(congestion::kOnCnp)) add("cnp", &MeasuredControl::cnps);
  if (example.control().uses(congestion::kOnGranted)) add("grant", &MeasuredControl::grants);
  costs.measure(o.runs, o.part);
  out["object_bytes"] = engine::congestion_control_bytes(settings, controlled_qp(o));
  out["object_ns"] = costs.json();
}

// --- measurements of a worker

CraftOptions craft_options(const CongestionOptions& o, const std::string& algorithm) {
  CraftOptions c;
  c.algorithm = algorithm;
  c.pmtu = o.pmtu;
  c.packets = o.packets;
  c.qps = o.qps;
  c.active = Activity::kRandom;
  c.runs = o.runs;
  c.duration = o.duration;
  return c;
}

/// Number of packets for each acknowledgement that the algorithm requests; 0 if it requests none.
std::uint32_t packets_per_ack(const engine::CongestionSettings& settings, const CongestionOptions& o) {
  if (!engine::observes_flight(settings)) return 0;
  const MeasuredControl example(settings, o);
  const std::uint32_t spacing = example.control().ack_spacing();
  const std::uint32_t counted = o.pmtu + kBth;
  return spacing == congestion::CongestionControl::kNoAckSpacing
             ? 0
             : std::max(1U, (spacing + counted - 1) / counted);
}

/// A board on a net_null port. If there are several boards, each has its own payload, because a payload can
/// be filled only once.
struct RigWithPayload {
  RigWithPayload(const Environment& environment, const CraftOptions& options, test::DpdkRig& dpdk)
      : payload(craft_payload(options)), rig(environment, options, *payload, dpdk) {}

  std::unique_ptr<board::PayloadSource> payload;
  CraftRig rig;
};

class CongestionContest {
 public:
  CongestionContest(const Environment& environment, const CongestionOptions& o, const std::string& algorithm)
      : environment_(environment),
        options_(craft_options(o, algorithm)),
        dpdk_(3 * craft_payload(options_)->arena_bytes() + kPayloadSlack) {
    CraftOptions few = options_;
    few.qps = kSmallBoard;
    CraftOptions without = few;
    without.algorithm = "none";
    without.ack_every = packets_per_ack(benchmark_settings(algorithm, o.pmtu), o);
    add("64_qps", few);
    if (o.qps > kSmallBoard) add("many_qps", options_);
    add("64_qps_without", without);
    compete(all_, o.runs, o.duration);
  }

  void report(Json& out) const {
    const Contestant& few = all_.front();
    const Contestant& without = all_.back();
    out["acks_per_packet"] = acks_per_packet(*rigs_.front());
    for (std::size_t k = 0; k < all_.size(); ++k) {
      out[all_[k].name] = figures_of(all_[k]);
      out[all_[k].name]["totals"] = to_json(rigs_[k]->rig.totals());
    }
    std::vector<double> packet, added;
    for (std::size_t run = 0; run < few.cpu_mpps.size(); ++run) {
      packet.push_back(1e3 / few.cpu_mpps[run]);
      added.push_back(packet.back() - 1e3 / without.cpu_mpps[run]);
    }
    out["packet_ns"] = figures("ns", packet);
    out["added_ns"] = figures("ns", added);
    if (all_.size() == 3) add_ratio(out, "ratio_to_64_qps", all_[1], few);
    const QpMemory memory = memory_of_qp(options_, *rigs_.front()->payload);
    out["bytes_per_qp"] = memory.allocated;
    out["counted_bytes_per_qp"] = memory.counted;
    out["stolen_share"] = median(few.preempted);
  }

 private:
  void add(const char* name, const CraftOptions& options) {
    rigs_.push_back(std::make_unique<RigWithPayload>(environment_, options, dpdk_));
    CraftRig& rig = rigs_.back()->rig;
    const dataplane::TscClock& clock = environment_.clock();
    rig.start(read_clock(clock));
    all_.push_back({name, [&rig, &clock](Time duration) {
                      const std::uint64_t before = rig.sent(0);
                      Tally t = turns_for(duration, clock, [&rig](Time now) {
                        rig.turn(0, now);
                        return 0U;
                      });
                      t.packets = rig.sent(0) - before;
                      return std::vector{t};
                    }});
  }

  static double acks_per_packet(const RigWithPayload& rig) {
    const BoardTotals t = rig.rig.totals();
    return t.packets == 0 ? 0 : static_cast<double>(t.acks) / static_cast<double>(t.packets);
  }

  const Environment& environment_;
  CraftOptions options_;
  test::DpdkRig dpdk_;
  std::vector<std::unique_ptr<RigWithPayload>> rigs_;
  std::vector<Contestant> all_;
};

}  // namespace

Json bench_congestion(const Environment& environment, const CongestionOptions& o) {
  Json out{{"benchmark", "congestion"},
           {"port", "net_null"},
           {"pmtu", o.pmtu},
           {"message_packets", o.packets},
           {"qps", o.qps},
           {"active", "random"},
           {"runs", o.runs},
           {"duration_s", to_seconds(o.duration)}};
  Json& algorithms = out["algorithms"] = Json::object();
  for (const std::string& name : o.algorithms.empty() ? algorithm_names() : o.algorithms) {
    Json& a = algorithms[name] = Json::object();
    const engine::CongestionSettings settings = benchmark_settings(name, o.pmtu);
    if (engine::congestion_control_bytes(settings, controlled_qp(o)) != 0) add_object(a, settings, o);
    CongestionContest(environment, o, name).report(a);
  }
  out["machine"] = machine_facts(&environment);
  return out;
}

}  // namespace softfeb::bench
