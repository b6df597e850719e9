// SPDX-License-Identifier: BSD-3-Clause
#include "report/pictures.hpp"

#include "config/installation.hpp"
#include "service/log.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace softfeb::report {

namespace {

namespace fs = std::filesystem;

/// Debian's Python. Another Python that is earlier in PATH may lack matplotlib.
constexpr const char* kPython = "/usr/bin/python3";
constexpr auto kPatience = std::chrono::minutes(5);
constexpr auto kLook = std::chrono::milliseconds(20);

void no_pictures(const std::string& what, const std::string& fix) {
  service::warning(fmt::format("softfeb: no pictures: {}\nfix: {}", what, fix));
}

/// Starts the report tool. The tool writes both its output and its errors to the standard error of this
/// process, and inherits no other descriptor. Throws std::system_error.
pid_t start_maker(const fs::path& program, const std::string& folder) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  std::string python = kPython, isolated = "-I", no_cache = "-B", path = program.string(), quiet = "-q",
              end = "--", where = folder;
  const std::array<char*, 8> argv{python.data(), isolated.data(), no_cache.data(), path.data(),
                                  quiet.data(),  end.data(),      where.data(),    nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, kPython, &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category());
  return child;
}

/// Waits for the child and stores its status from waitpid(). Returns false if the child took too long and
/// was killed, or if waitpid() failed.
bool wait_for_maker(pid_t child, int& status) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (ended < 0 && errno != EINTR) return false;
    std::this_thread::sleep_for(kLook);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

}  // namespace

void make_pictures(const std::string& folder, bool quiet) {
  const fs::path program = config::data_folder("report");
  if (program.empty()) {
    return no_pictures("the report tool is missing from the installation",
                       "reinstall softfeb, or run tools/report from its sources on " + folder);
  }
  const std::string by_hand = fmt::format("{} -I {} {}", kPython, program.string(), folder);
  try {
    int status = 0;
    if (!wait_for_maker(start_maker(program, folder), status)) {
      return no_pictures(fmt::format("{} took longer than {} minutes", program.string(), kPatience.count()),
                         "use a longer run.series_interval, or run by hand: " + by_hand);
    }
    if (!WIFEXITED(status))
      return no_pictures("the report tool was killed by a signal", "by hand: " + by_hand);
    if (WEXITSTATUS(status) != 0) return;  // the tool has printed the reason
    if (!quiet) fmt::print("report: {}\n", (fs::path(folder) / "index.html").string());
  } catch (const std::system_error& e) {
    no_pictures(fmt::format("{}: {}", kPython, std::strerror(e.code().value())),
                "apt-get install python3 python3-matplotlib, then: " + by_hand);
  }
}

}  // namespace softfeb::report
