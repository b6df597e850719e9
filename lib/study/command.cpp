// SPDX-License-Identifier: BSD-3-Clause
#include "study/command.hpp"

#include "base/error.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace softfeb::study {

namespace {

/// A temporary file, which is removed at the end of its scope. The input and output of a child are files and
/// not pipes, because with two pipes, parent and child may wait for each other.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File temporary_file(const std::string& text) {
  File file(std::tmpfile(), std::fclose);
  if (file == nullptr ||
      (!text.empty() && std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) ||
      std::fflush(file.get()) != 0)
    throw EnvironmentError(std::string("cannot write a temporary file: ") + std::strerror(errno),
                           "fix: make room in /tmp");
  std::rewind(file.get());
  return file;
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), file)) text.append(part.data(), n);
  return text;
}

/// Starts the program. It inherits only the standard descriptors.
int start(const Arguments& command, int input, int output, pid_t& child) {
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  if (output >= 0) posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const int error = posix_spawnp(&child, argv.front(), &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

CommandResult run_command(const Arguments& command, const std::string& input, bool capture,
                          const std::string& package) {
  const File in = temporary_file(input), out = temporary_file({});
  pid_t child = 0;
  const int error = start(command, fileno(in.get()), capture ? fileno(out.get()) : -1, child);
  if (error != 0) {
    throw EnvironmentError("cannot run " + command.front() + ": " + std::strerror(error),
                           "fix: apt-get install " + package);
  }
  CommandResult result{.status = wait_for(child)};
  if (capture) result.output = contents(out.get());
  return result;
}

std::string shell_quoted(const std::string& text) {
  const char* const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

std::string shell_quoted(const Arguments& command) {
  std::string out;
  for (const std::string& word : command) out += (out.empty() ? "" : " ") + shell_quoted(word);
  return out;
}

Arguments words_of(const std::string& text) {
  std::istringstream in(text);
  Arguments words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace softfeb::study
