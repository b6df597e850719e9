// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/plugin_control.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

namespace softfeb::plugins {

namespace {

using congestion::CongestionState;
using softfeb_plugin::Plugin;

constexpr std::uint32_t kBth = 12;
/// Rate in bytes per second at and above which packets are not paced.
constexpr double kFastest = 1e12;

std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

std::string text_of(double value) {
  std::string text = std::to_string(value);
  return text.size() > 24 ? text.substr(0, 24) : text;
}

}  // namespace

std::size_t PluginControl::control_bytes(const Plugin& plugin) {
  return sizeof(PluginControl) + rounded(plugin.control_size);
}

congestion::Hooks PluginControl::hooks_of(const Plugin& plugin) {
  const std::uint32_t events = plugin.description.events;
  congestion::Hooks hooks = 0;
  if ((events & softfeb_plugin::kAcks) != 0) hooks |= congestion::kOnAck | congestion::kWindow;
  if ((events & softfeb_plugin::kNaks) != 0) hooks |= congestion::kOnNak;
  if ((events & softfeb_plugin::kCnps) != 0) hooks |= congestion::kOnCnp;
  if ((events & softfeb_plugin::kTimer) != 0) hooks |= congestion::kTimer;
  if ((events & softfeb_plugin::kPosts) != 0) hooks |= congestion::kOnPosted;
  if ((events & softfeb_plugin::kCredit) != 0) hooks |= congestion::kCredit;
  if ((events & softfeb_plugin::kPriorities) != 0) hooks |= congestion::kPriority;
  if ((events & softfeb_plugin::kRanks) != 0) hooks |= congestion::kRank;
  return hooks;
}

PluginControl::PluginControl(const PluginFacts& facts, std::span<const double> values,
                             const softfeb_plugin::Path& path)
    : CongestionControl(hooks_of(*facts.plugin)),
      facts_(&facts),
      pacer_(kFastest),
      packet_(path.pmtu + kBth) {
  auto* const place = reinterpret_cast<std::byte*>(this) + sizeof *this;
  guarded("its constructor", [&] { control_ = facts.plugin->make(place, values.data(), path); });
  adopt_answers(0);
}

PluginControl::~PluginControl() {
  if (control_ != nullptr) std::destroy_at(control_);
}

/// Calls the plug-in. If the plug-in throws an exception, this control fails. `what` is the name of the
/// called function for the error message.
template <typename Call>
void PluginControl::guarded(const char* what, Call&& call) {
  if (failed()) return;
  try {
    std::forward<Call>(call)();
  } catch (const std::exception& e) {
    fail(std::string(what) + " threw: " + e.what());
  } catch (...) {
    fail(std::string(what) + " threw an exception");
  }
}

/// Stops the queue pairs of this control. Stores `message` for the rest of the process, but not if an equal
/// message is stored already.
void PluginControl::fail(const std::string& message) {
  if (failed()) return;
  set_failed();
  timer_ = kNever;
  failure_ = facts_->keep("plug-in " + std::string(facts_->plugin->description.name) + ": " +
                          message.substr(0, 200));
}

/// Reads the plug-in's rate, window and timer after an event at `now`.
void PluginControl::adopt_answers(Time now) {
  double rate = 0, window = 0;
  Time timer = kNever;
  guarded("rate(), window() or timer_at()", [&] {
    rate = control_->rate();
    window = control_->window();
    timer = control_->timer_at();
  });
  if (failed()) return;
  if (!(rate >= 1)) return fail("rate() is " + text_of(rate) + " bytes per second; it must be at least 1");
  if (!(window >= packet_)) {
    return fail("window() is " + text_of(window) + " bytes; it must be at least one packet of " +
                std::to_string(packet_));
  }
  paced_ = rate < kFastest;
  if (paced_) pacer_.set_rate(rate, now);
  window_ = window < 1e18 ? static_cast<std::uint64_t>(window) : kNoWindow;
  timer_ = timer;
}

congestion::CongestionControl::Departure PluginControl::find_departure(std::uint32_t, Time) {
  if (failed()) return {kNever, true};
  return {paced_ ? pacer_.departure() : 0, true};
}

void PluginControl::on_start(Time now) {
  pacer_.start(now);
  guarded("start()", [&] { control_->start(now); });
  adopt_answers(now);
}

void PluginControl::on_sent(std::uint32_t bytes, Time now) {
  if (paced_) pacer_.sent(bytes, now);
  if ((facts_->plugin->description.events & softfeb_plugin::kSends) == 0) return;
  guarded("sent()", [&] { control_->sent(bytes, now); });
  adopt_answers(now);
}

void PluginControl::on_ack(const congestion::Ack& ack, Time now) {
  acked_ = ack.acked;
  softfeb_plugin::Ack a;
  if (ack.sent_at) a.rtt = rtt_ = ack.rtt(now);
  a.bytes = ack.bytes;
  a.packets = ack.packets;
  a.acked = ack.acked;
  a.sent = ack.sent;
  a.remote_delay = ack.remote_delay;
  a.path = ack.path;
  a.hops = ack.hops.value_or(0);
  a.header_size = static_cast<std::uint8_t>(ack.header.size());
  a.header = ack.header.data();
  guarded("ack()", [&] { control_->ack(a, now); });
  adopt_answers(now);
}

void PluginControl::on_nak(congestion::Nak nak, Time now) {
  guarded("nak()", [&] { control_->nak(static_cast<softfeb_plugin::Nak>(nak), now); });
  adopt_answers(now);
}
static_assert(static_cast<int>(softfeb_plugin::Nak::kTimeout) ==
                  static_cast<int>(congestion::Nak::kTimeout) &&
              static_cast<int>(softfeb_plugin::Nak::kSequence) ==
                  static_cast<int>(congestion::Nak::kSequence));

void PluginControl::on_cnp(Time now) {
  guarded("cnp()", [&] { control_->cnp(now); });
  adopt_answers(now);
}

void PluginControl::on_timer(Time now) {
  guarded("timer()", [&] { control_->timer(now); });
  adopt_answers(now);
  // If the time were not in the future, the engine would call timer() again immediately, in an endless loop.
  if (timer_ <= now) fail("timer_at() is not after the time of the call of timer()");
}

void PluginControl::on_posted(std::uint32_t length, std::uint64_t order, Time now) {
  guarded("posted()", [&] { control_->posted(length, order, now); });
  adopt_answers(now);
}

std::uint64_t PluginControl::find_credit(std::uint64_t packet) const {
  std::uint64_t credit = kNoCredit;
  self().guarded("credit()", [&] { credit = control_->credit(packet); });
  if (credit <= packet && packet == acked_ && timer_ == kNever) {
    self().fail("credit() is " + std::to_string(credit) + " although packet " + std::to_string(packet) +
                " is the next one and none is in flight");
  }
  return failed() ? kNoCredit : credit;
}
static_assert(softfeb_plugin::kNoCredit == congestion::CongestionControl::kNoCredit &&
              softfeb_plugin::kNoPriority == congestion::CongestionControl::kNoPriority);

std::uint8_t PluginControl::choose_priority(std::uint64_t packet) {
  std::uint8_t level = kNoPriority;
  guarded("priority()", [&] { level = control_->priority(packet); });
  if (level > 7 && level != kNoPriority)
    fail("priority() is " + std::to_string(level) + "; the levels are 0 to 7");
  return failed() ? kNoPriority : level;
}

std::uint64_t PluginControl::find_rank(std::uint64_t packet) const {
  std::uint64_t rank = 0;
  self().guarded("rank()", [&] { rank = control_->rank(packet); });
  return failed() ? 0 : rank;
}

void PluginControl::set_parameters(std::span<const double> values, Time now) {
  forget();
  guarded("parameters()", [&] { control_->parameters(values.data(), now); });
  adopt_answers(now);
}

std::size_t PluginControl::write_header(std::span<std::uint8_t> out, Time now) {
  std::size_t size = 0;
  guarded("write_header()", [&] { size = control_->write_header(out.data(), out.size(), now); });
  if (size > out.size()) fail("write_header() wrote " + std::to_string(size) + " bytes");
  return failed() ? 0 : size;
}

CongestionState PluginControl::state(Time) const {
  CongestionState s;
  s.failure = failure_;
  if (paced_) s.rate = s.target_rate = static_cast<std::uint64_t>(std::llround(pacer_.rate()));
  if (window_ != kNoWindow) s.window = static_cast<double>(window_);
  if (rtt_ != 0) s.rtt = rtt_;
  if (control_ == nullptr || failed()) return s;
  s.counter_names = facts_->counters;
  s.counter_count = static_cast<std::uint8_t>(facts_->plugin->description.counters.count);
  try {
    control_->counters(s.counters.data());
  } catch (...) {
    s.counter_count = 0;  // an error in telemetry does not stop a queue pair
  }
  return s;
}

}  // namespace softfeb::plugins
