// SPDX-License-Identifier: BSD-3-Clause
#include "service/log.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace softfeb;
using service::Level;
using service::Log;

namespace {

/// Calls `act` with a log and returns what it has written.
template <class Act>
std::string written(bool journal, Act act) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  {
    Log log({.to = stream, .journal = journal, .now = [] { return Time{0}; }});
    act(log);
  }
  std::fclose(stream);
  std::string out(text, size);
  std::free(text);
  return out;
}

}  // namespace

TEST_CASE("the journal gets the level of each line") {
  const auto act = [](Log& log) {
    log.write(Level::kWarning, "no pictures: x\nfix: y");
    log.write(Level::kNotice, "map:\n\nworker 0\n");
    log.write(Level::kError, "softfeb: no");
  };
  CHECK(written(true, act) == "<4>no pictures: x\n<4>fix: y\n<5>map:\n<5>worker 0\n<3>softfeb: no\n");
  CHECK(written(false, act) == "no pictures: x\nfix: y\nmap:\n\nworker 0\nsoftfeb: no\n");
}

TEST_CASE("messages below the level are not written") {
  const std::string text = written(false, [](Log& log) {
    log.set_level(Level::kNotice);
    CHECK(log.writes(Level::kWarning));
    CHECK_FALSE(log.writes(Level::kInfo));
    log.write(Level::kInfo, "progress");
    log.write(Level::kNotice, "connected");
  });
  CHECK(text == "connected\n");
  CHECK(service::level_of("notice") == Level::kNotice);
  CHECK_FALSE(service::level_of("loud"));
  CHECK(service::level_names() == std::vector<std::string>{"error", "warning", "notice", "info"});
}

TEST_CASE("only the journal's messages are limited, except errors and progress") {
  constexpr unsigned kMany = 3 * service::MessageLimit::kMost;
  const auto lines = [](bool journal, Level level) {
    const std::string text = written(journal, [level](Log& log) {
      for (unsigned i = 0; i < kMany; ++i) log.write(level, "event " + std::to_string(i));
    });
    return std::count(text.begin(), text.end(), '\n');
  };
  CHECK(lines(true, Level::kNotice) ==
        service::MessageLimit::kMost + 1);  // kMost lines, and one with the number of suppressed lines
  CHECK(lines(true, Level::kError) == kMany);
  CHECK(lines(true, Level::kInfo) == kMany);
  CHECK(lines(false, Level::kNotice) == kMany);
}

TEST_CASE("standard error is the journal if JOURNAL_STREAM names it") {
  struct stat file {};
  REQUIRE(fstat(STDERR_FILENO, &file) == 0);
  const std::string here = std::to_string(file.st_dev) + ':' + std::to_string(file.st_ino);
  const auto with = [](const std::string& stream) {
    setenv("JOURNAL_STREAM", stream.c_str(), 1);
    return service::stderr_is_journal();
  };
  CHECK(with(here));
  CHECK_FALSE(with(here + "1"));
  CHECK_FALSE(with("7:" + std::to_string(file.st_ino + 1)));
  for (const char* wrong : {"", "8", "8:", ":8", "x:y", "8:9 "}) CHECK_FALSE(with(wrong));
  unsetenv("JOURNAL_STREAM");
  CHECK_FALSE(service::stderr_is_journal());
}
