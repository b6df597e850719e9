// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/send_triggers.hpp"

#include "base/exit_code.hpp"
#include "config/choices.hpp"
#include "config/error.hpp"
#include "config/load.hpp"
#include "detector/trigger_server.hpp"
#include "hostclock/tai.hpp"
#include "report/result.hpp"
#include "runtime/stop_signal.hpp"
#include "service/log.hpp"
#include "sockets/trigger_socket.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>

namespace softfeb::experiment {

namespace {

using detector::TriggerMessage;
using detector::TriggerServer;
using Json = nlohmann::ordered_json;

/// Number of messages that announce the end of the run. The announcement is repeated because messages may get
/// lost.
constexpr int kEnds = 3;
constexpr Time kBetweenEnds = 10 * kMillisecond;
/// Interval at which the boards' link-layer addresses are looked up before the run. Without `run.start_at`,
/// the run begins after this time, which is long enough to find the addresses of boards that are up.
constexpr Time kLookUp = 100 * kMillisecond;
/// Maximum number of datagrams to receive before checking which triggers are due.
constexpr int kBurst = 64;

config::RunConfig load(const TriggerOptions& o) {
  return config::is_lab(o.config) ? config::load_lab(o.config, o.overrides).run
                                  : config::load_run(o.config, o.overrides);
}

std::size_t find_trigger(const config::RunConfig& config, const TriggerOptions& o) {
  const auto refuse = [&](std::string what, std::string fix) {
    throw config::ConfigError({{{o.config, 0, "triggers"}, std::move(what), std::move(fix)}});
  };
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < config.triggers.size(); ++t) {
    const config::TriggerConfig& c = config.triggers[t];
    if (o.trigger ? c.name == *o.trigger : c.message) found.push_back(t);
  }
  if (found.empty() && o.trigger)
    refuse("there are no triggers \"" + *o.trigger + '"', "name one of `triggers`");
  if (found.empty()) refuse("no triggers are sent as messages", "write `mode: message`");
  if (found.size() > 1) refuse("several triggers are sent as messages", "choose one with --trigger NAME");
  if (!config.triggers[found[0]].message)
    refuse('"' + config.triggers[found[0]].name + "\" is computed by the boards", "write `mode: message`");
  return found[0];
}

/// Addresses of the boards that use this trigger, in the order of BoardEventsConfig::on_trigger.
std::vector<roce::IpAddress> boards_of(const config::RunConfig& config, std::size_t trigger) {
  std::vector<roce::IpAddress> boards;
  for (const config::BoardConfig& b : config.boards) {
    if (b.events && b.events->trigger == trigger) boards.push_back(b.endpoint.ip);
  }
  if (boards.empty()) {
    throw config::ConfigError({{config.triggers[trigger].where, "no board has these triggers",
                                "give a board `events` with this `trigger`"}});
  }
  return boards;
}

/// A clock that begins at a given time of the wall clock, and is not affected by later steps of the wall
/// clock.
class RunTime {
 public:
  explicit RunTime(std::int64_t begin_unix_ns)
      : begin_(Steady::now() + std::chrono::nanoseconds(begin_unix_ns - unix_now())) {}

  static std::int64_t unix_now() {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  }
  /// Time since the clock began; 0 before that.
  Time now() const {
    const std::int64_t ns = std::chrono::nanoseconds(Steady::now() - begin_).count();
    return ns < 0 ? 0 : static_cast<Time>(ns) * kNanosecond;
  }
  bool begun() const { return Steady::now() >= begin_; }

 private:
  using Steady = std::chrono::steady_clock;
  Steady::time_point begin_;
};

class Sender {
 public:
  Sender(const config::RunConfig& config, std::size_t trigger, std::int64_t begin_unix_ns)
      : boards_(boards_of(config, trigger)),
        time_(begin_unix_ns),
        server_(server_config(config, trigger, begin_unix_ns)),
        socket_(boards_, detector::kTriggerPort) {}

  void run() {
    wait_for_begin();
    while (!server_.over()) {
      if (runtime::stop_signals() != 0) server_.end(time_.now());
      send_due();
      receive();
      if (server_.over()) break;
      const Time now = time_.now();
      const Time next = std::min(server_.next_event(), now + 100 * kMillisecond);
      if (next > now) socket_.wait(next - now);
    }
    send_due();
    ended_ = time_.now();
    for (int i = 0; i < kEnds; ++i) {
      send(server_.end_message(ended_));
      std::this_thread::sleep_for(std::chrono::nanoseconds(kBetweenEnds / kNanosecond));
    }
  }

  Json result(const config::TriggerConfig& trigger) const {
    const double seconds = to_seconds(ended_);
    Json sources = Json::array();
    for (std::size_t i = 0; i < trigger.sources.size(); ++i) {
      const detector::TriggerCounts& c = server_.counts()[i];
      const config::TriggerSourceSettings& s = trigger.sources[i];
      sources.push_back({{"kind", config::choices::kTriggerSource.name(s.source.kind)},
                         {"type", config::choices::kEventType.name(s.source.type)},
                         {"candidates", c.candidates},
                         {"accepted", c.accepted},
                         {"dead_time", c.dead_time},
                         {"busy", c.busy}});
    }
    return {
        {"name", trigger.name},
        {"boards", boards_.size()},
        {"seconds", seconds},
        {"accepted", server_.accepted()},
        {"busy_share", seconds > 0 ? Json(to_seconds(server_.busy_time(ended_)) / seconds) : Json(nullptr)},
        {"longest_delay_us", to_seconds(longest_delay_) * 1e6},
        {"sources", std::move(sources)},
        {"messages", socket_.sent()},
        {"messages_failed", socket_.failed()},
        {"busy_messages", busy_messages_},
        {"busy_rejected", server_.rejected() + malformed_},
        {"busy_forgotten", server_.forgotten()}};
  }

  std::uint64_t failed() const { return socket_.failed(); }

 private:
  /// Waits until the run begins. Meanwhile, looks up the boards' addresses again and again, because a board
  /// may start after this program.
  void wait_for_begin() {
    for (std::uint64_t i = 0; !time_.begun() && runtime::stop_signals() == 0; ++i) {
      if (i % (kLookUp / kMillisecond) == 0) socket_.resolve();
      socket_.wait(kMillisecond);
    }
  }

  static detector::TriggerServerConfig server_config(const config::RunConfig& config, std::size_t trigger,
                                                     std::int64_t begin_unix_ns) {
    detector::TriggerServerConfig c;
    for (const config::TriggerSourceSettings& s : config.triggers[trigger].sources)
      c.sources.push_back(s.source);
    c.dead_time = config.triggers[trigger].dead_time;
    for (const config::BoardConfig& b : config.boards) {
      if (!b.events || b.events->trigger != trigger) continue;
      ++c.boards;
      c.busy_delay = b.events->busy_delay;
    }
    c.run = config.run.number;
    c.origin = detector::tai_of(static_cast<std::uint64_t>(begin_unix_ns), hostclock::tai_ahead());
    c.end = config.run.duration.value_or(kNever);
    return c;
  }

  void send(const TriggerMessage& message) {
    std::array<std::uint8_t, detector::kTriggerMessageSize> bytes;
    detector::write_trigger_message(message, bytes.data());
    socket_.send(bytes.data());
  }

  void send_due() {
    for (Time now = time_.now();; now = time_.now()) {
      const auto message = server_.next_message(now);
      if (!message) return;
      send(*message);
      const Time triggered = detector::time_since(server_.origin(), message->time);
      longest_delay_ = std::max(longest_delay_, time_.now() - std::min(time_.now(), triggered));
    }
  }

  void receive() {
    for (int i = 0; i < kBurst; ++i) {
      const auto bytes = socket_.receive();
      if (!bytes) return;
      ++busy_messages_;
      const auto message = detector::read_busy_message(*bytes);
      if (!message) {
        ++malformed_;
        continue;
      }
      // First accept or veto the candidates that precede this message, because the busy state that the
      // message reports does not apply to these candidates.
      send_due();
      server_.receive(*message, time_.now());
    }
  }

  std::vector<roce::IpAddress> boards_;
  RunTime time_;
  TriggerServer server_;
  sockets::TriggerSocket socket_;
  std::uint64_t busy_messages_ = 0;
  std::uint64_t malformed_ = 0;
  Time longest_delay_ = 0;  ///< longest time from a trigger until its messages were sent
  Time ended_ = 0;
};

void write_result(const TriggerOptions& o, const Json& result) {
  if (o.json && *o.json == "-") {
    fmt::print("{}\n", result.dump(1));
  } else if (o.json) {
    report::write_atomically(*o.json, result.dump(1) + "\n");
  }
  if (o.quiet || o.json == "-") return;
  fmt::print("{}: {} triggers to {} boards in {:g} s, up to {:g} us late\n",
             result["name"].get<std::string>(), result["accepted"].get<std::uint64_t>(),
             result["boards"].get<std::uint64_t>(), result["seconds"].get<double>(),
             result["longest_delay_us"].get<double>());
  for (const Json& s : result["sources"]) {
    fmt::print("  {} {}: {} candidates, {} accepted, {} vetoed by the dead time, {} by busy boards\n",
               s["kind"].get<std::string>(), s["type"].get<std::string>(),
               s["candidates"].get<std::uint64_t>(), s["accepted"].get<std::uint64_t>(),
               s["dead_time"].get<std::uint64_t>(), s["busy"].get<std::uint64_t>());
  }
}

}  // namespace

int send_triggers(const TriggerOptions& options) {
  const config::RunConfig config = load(options);
  const std::size_t trigger = find_trigger(config, options);
  runtime::catch_stop_signals();
  prctl(PR_SET_TIMERSLACK, 1'000UL, 0UL, 0UL, 0UL);  // let waits end at most 1 us (1000 ns) late
  Sender sender(config, trigger,
                config.run.start_at_unix_ns.value_or(RunTime::unix_now() + kLookUp / kNanosecond));
  sender.run();
  write_result(options, sender.result(config.triggers[trigger]));
  if (sender.failed() == 0) return kDone;
  service::warning(fmt::format("softfeb: {} messages could not be sent; fix: check the routes to the boards",
                               sender.failed()));
  return kCheckFailed;
}

}  // namespace softfeb::experiment
