// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks.hpp"
#include "dcqcn/firmware_dcqcn.hpp"
#include "dcqcn/paper_dcqcn.hpp"
#include "measurement.hpp"

#include <memory>

namespace softfeb::bench {

namespace {

constexpr std::uint32_t kFrame = 12 + 4096;  // BTH and payload, which congestion control counts for a packet

/// Sends packets at a rate far below the permitted rate. The result is the cost per packet if pacing never
/// delays a packet.
void never_wait(congestion::CongestionControl& c, Time& now, std::uint64_t times) {
  for (; times != 0; --times) {
    keep_value(c.departure(kFrame, now));
    c.sent(kFrame, now);
    now += 80 * kNanosecond;
  }
}

/// Sends each packet at its departure time.
void pace(congestion::CongestionControl& c, Time& now, std::uint64_t times) {
  for (; times != 0; --times) {
    for (Time at = c.departure(kFrame, now); at > now; at = c.departure(kFrame, now)) now = at;
    c.sent(kFrame, now);
  }
}

/// Delivers a CNP every 55 µs, without packets.
void notify(congestion::CongestionControl& c, Time& now, std::uint64_t times) {
  for (; times != 0; --times) {
    c.cnp(now);
    keep_value(c.departure(kFrame, now));
    now += 55 * kMicrosecond;
  }
}

/// Idles for a millisecond, then sends one packet.
void idle(congestion::CongestionControl& c, Time& now, std::uint64_t times) {
  for (; times != 0; --times) {
    now += kMillisecond;
    pace(c, now, 1);
  }
}

/// A CongestionControl object and its current time.
struct Subject {
  std::shared_ptr<congestion::CongestionControl> control;
  std::shared_ptr<Time> now = std::make_shared<Time>(kSecond);

  explicit Subject(std::shared_ptr<congestion::CongestionControl> c) : control(std::move(c)) {
    control->start(*now);
  }
};

template <typename Work>
void add_piece(Costs& costs, const std::string& name, std::shared_ptr<congestion::CongestionControl> control,
               Work work) {
  costs.add(name, [subject = Subject(std::move(control)), work](std::uint64_t times) {
    work(*subject.control, *subject.now, times);
  });
}

std::shared_ptr<congestion::CongestionControl> firmware(std::uint64_t line_rate) {
  dcqcn::FirmwareSettings p;
  p.build = {.line_rate = line_rate, .wrap32 = line_rate < (1ULL << 32)};
  return std::make_shared<dcqcn::FirmwareDcqcn>(p);
}

std::shared_ptr<congestion::CongestionControl> paper(std::uint64_t line_rate) {
  dcqcn::PaperSettings p;
  p.parameters.line_rate = line_rate;
  return std::make_shared<dcqcn::PaperDcqcn>(p);
}

}  // namespace

Json bench_dcqcn(const PartOptions& o) {
  Json out{{"benchmark", "dcqcn"}, {"runs", o.runs}};
  const auto measure = [&o](auto make) {
    Costs costs;
    add_piece(costs, "packet_never_held_back", make(125'000'000'000), never_wait);
    add_piece(costs, "packet_paced", make(1'250'000'000), pace);
    add_piece(costs, "cnp_every_55_us", make(1'250'000'000), notify);
    add_piece(costs, "packet_after_1_ms_idle", make(1'250'000'000), idle);
    costs.measure(o.runs, o.duration);
    return costs.json();
  };
  out["firmware_ns"] = measure(firmware);
  out["paper_ns"] = measure(paper);
  out["machine"] = machine_facts(nullptr);
  return out;
}

}  // namespace softfeb::bench
