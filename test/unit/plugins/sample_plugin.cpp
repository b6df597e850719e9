// SPDX-License-Identifier: BSD-3-Clause
// A plug-in for tests, with its own header fields. It increases a rate additively and decreases it
// multiplicatively, depending on the RTT. The parameter `misbehave` selects a mistake.
#include "plugins/congestion_plugin.hpp"

#include <algorithm>
#include <stdexcept>

namespace {

using namespace softfeb_plugin;

enum Mistake {
  kNone,
  kThrowInAck,
  kThrowInt,
  kZeroRate,
  kNanRate,
  kSmallWindow,
  kPastTimer,
  kThrowAtStart,
  kLongHeader,
  kNoCreditLeft,
  kThrowInCredit,
  kHighPriority,
  kThrowInRank,
  kThrowInPosted
};

class Sample final : public Control {
 public:
  Sample(const double* values, const Path& path) : line_rate_(path.line_rate), rate_(path.line_rate / 2) {
    parameters(values, 0);
  }

  void start(Time now) override {
    if (mistake_ == kThrowAtStart) throw std::runtime_error("no start today");
    next_ = now + kMillisecond;
  }
  void ack(const Ack& a, Time) override {
    ++acks_;
    if (a.header_size != 0) echoed_ += a.header[0];
    if (mistake_ == kThrowInAck && acks_ > 3) throw std::runtime_error("enough acknowledgements");
    if (mistake_ == kThrowInt && acks_ > 3) throw 42;
    if (a.rtt == 0) return;
    rate_ = a.rtt > target_ ? std::max(rate_ * 0.95, line_rate_ / 1000) : std::min(rate_ + step_, line_rate_);
  }
  void timer(Time now) override {
    ++timers_;
    next_ = mistake_ == kPastTimer ? now : now + kMillisecond;
  }
  // kNoCreditLeft must not use a timer, because the engine would call credit() again after each timer().
  Time timer_at() const override { return mistake_ == kNoCreditLeft ? kNever : next_; }
  double rate() const override {
    if (mistake_ == kZeroRate && acks_ > 3) return 0;
    if (mistake_ == kNanRate && acks_ > 3) return std::numeric_limits<double>::quiet_NaN();
    return rate_;
  }
  double window() const override { return mistake_ == kSmallWindow && acks_ > 3 ? 100 : kUnlimited; }
  void posted(std::uint32_t length, std::uint64_t, Time) override {
    if (mistake_ == kThrowInPosted && posted_ > 20'000) throw std::runtime_error("too many messages");
    posted_ += length;
  }
  std::uint64_t credit(std::uint64_t packet) const override {
    if (mistake_ == kThrowInCredit && acks_ > 3) throw std::runtime_error("no credit today");
    return mistake_ == kNoCreditLeft && packet > 100 ? 101 : kNoCredit;
  }
  std::uint8_t priority(std::uint64_t packet) override {
    return mistake_ == kHighPriority && packet > 100 ? 8 : 5;
  }
  std::uint64_t rank(std::uint64_t packet) const override {
    if (mistake_ == kThrowInRank && packet > 100) throw std::runtime_error("no rank today");
    return packet;
  }
  void parameters(const double* values, Time) override {
    target_ = static_cast<Time>(values[0]);
    step_ = values[1];
    mistake_ = static_cast<Mistake>(static_cast<int>(values[2]));
  }
  std::size_t write_header(std::uint8_t* out, std::size_t room, Time) override {
    if (mistake_ == kLongHeader) return room + 1;
    out[0] = 7;
    out[1] = 9;
    return 2;
  }
  void counters(double* out) const override {
    out[0] = acks_;
    out[1] = timers_;
    out[2] = echoed_;
    out[3] = posted_;
  }

 private:
  double line_rate_, rate_, step_ = 0;
  double acks_ = 0, timers_ = 0, echoed_ = 0, posted_ = 0;
  Time target_ = 0, next_ = kNever;
  Mistake mistake_ = kNone;
};

}  // namespace

SOFTFEB_CONGESTION_PLUGIN(Sample, {.name = "sample",
                                   .summary = "for tests",
                                   .events = kAcks | kNaks | kTimer | kPosts | kCredit | kPriorities | kRanks,
                                   .header_profile = 0xf3,
                                   .parameters = {{"target", Unit::kTime, 1 * kMicrosecond,
                                                   100 * kMillisecond, 30 * kMicrosecond, "RTT"},
                                                  {"step", Unit::kRate, 1, 1e9, 1e6, "additive step"},
                                                  {"misbehave", Unit::kCount, 0, 100, 0, "a mistake"}},
                                   .counters = {{"acks", "acknowledgements"},
                                                {"timers", "timer calls"},
                                                {"echoed", "header bytes"},
                                                {"posted", "payload bytes"}}})
