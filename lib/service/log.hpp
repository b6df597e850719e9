// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "service/message_limit.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// lib/service: how a program reports to people and to the service manager. log.hpp writes messages with
/// levels, to a terminal or to the journal. notifier.hpp tells systemd about readiness, status and health.
/// Uses neither DPDK nor Boost.
namespace softfeb::service {

/// Levels of messages, with the numbers of syslog(3).
enum class Level : std::uint8_t {
  kError = 3,    ///< the program ends
  kWarning = 4,  ///< something is wrong; the run goes on, or its result is affected
  kNotice = 5,   ///< facts about the run and events in it: ports, connections, the end
  kInfo = 6,     ///< progress, about once a second
};

/// Returns the names of the levels: error, warning, notice, info.
std::vector<std::string> level_names();
std::optional<Level> level_of(std::string_view name);

/// Returns true if standard error is connected to the journal (JOURNAL_STREAM, systemd.exec(5)).
bool stderr_is_journal();

/// Writes messages to a stream. If `journal` is set, each line begins with its level, as sd-daemon(3) defines
/// it, and messages that repeat often are limited (MessageLimit). Otherwise, lines are written unchanged. Not
/// thread-safe.
class Log {
 public:
  struct Config {
    std::FILE* to = stderr;
    bool journal = false;
    std::function<Time()> now;  ///< clock for MessageLimit; a steady clock if empty
  };
  explicit Log(Config config);
  /// Reports how many messages the limit has suppressed.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void set_level(Level level) { level_ = level; }
  bool writes(Level level) const { return level <= level_; }

  /// Writes `text`, which may have several lines, and adds a line end if it is missing.
  void write(Level level, std::string_view text);

 private:
  void put(Level level, std::string_view text);

  Config config_;
  Level level_ = Level::kInfo;
  MessageLimit limit_;
};

/// The program's log on standard error.
Log& log();

inline void error(std::string_view text) { log().write(Level::kError, text); }
inline void warning(std::string_view text) { log().write(Level::kWarning, text); }
inline void notice(std::string_view text) { log().write(Level::kNotice, text); }

}  // namespace softfeb::service
