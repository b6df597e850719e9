// SPDX-License-Identifier: BSD-3-Clause
#include "service/log.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace softfeb::service {

namespace {

constexpr std::array<std::pair<std::string_view, Level>, 4> kLevels{{{"error", Level::kError},
                                                                     {"warning", Level::kWarning},
                                                                     {"notice", Level::kNotice},
                                                                     {"info", Level::kInfo}}};

/// Returns a clock that starts at zero now. It does not count from the start of the machine, because a Time
/// is a 64-bit number of picoseconds, which overflows after 213 days.
std::function<Time()> new_clock() {
  using std::chrono::steady_clock;
  return [origin = steady_clock::now()] {
    const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - origin);
    return static_cast<Time>(passed.count()) * kNanosecond;
  };
}

}  // namespace

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const auto& [name, level] : kLevels) names.emplace_back(name);
  return names;
}

std::optional<Level> level_of(std::string_view name) {
  for (const auto& [known, level] : kLevels) {
    if (known == name) return level;
  }
  return std::nullopt;
}

bool stderr_is_journal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");  // contains DEVICE:INODE
  if (stream == nullptr) return false;
  const std::string_view text = stream;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, device);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ':') return false;
  const auto second = std::from_chars(first.ptr + 1, end, inode);
  struct stat file {};
  return second.ec == std::errc() && second.ptr == end && fstat(STDERR_FILENO, &file) == 0 &&
         file.st_dev == device && file.st_ino == inode;
}

Log::Log(Config config) : config_(std::move(config)) {
  if (!config_.now) config_.now = new_clock();
}

Log::~Log() {
  for (const std::string& line : limit_.flush()) put(Level::kNotice, line);
}

void Log::write(Level level, std::string_view text) {
  if (!writes(level) || text.empty()) return;
  // Only warnings and notices are limited. Progress is written at a fixed rate anyway, and an error ends the
  // program.
  if (config_.journal && (level == Level::kWarning || level == Level::kNotice)) {
    const MessageLimit::Verdict verdict = limit_.admit(text, config_.now());
    if (!verdict.suppressed.empty()) put(level, verdict.suppressed);
    if (!verdict.admitted) return;
  }
  put(level, text);
}

void Log::put(Level level, std::string_view text) {
  // Write all lines in one call, so that lines of several processes do not mix.
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (config_.journal && !line.empty()) out += '<' + std::to_string(static_cast<unsigned>(level)) + '>';
    if (!config_.journal || !line.empty()) (out += line) += '\n';
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  std::fwrite(out.data(), 1, out.size(), config_.to);
  std::fflush(config_.to);
}

Log& log() {
  static Log instance(Log::Config{.journal = stderr_is_journal()});
  return instance;
}

}  // namespace softfeb::service
