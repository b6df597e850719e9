// SPDX-License-Identifier: BSD-3-Clause
#include "study/submit.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

namespace softfeb::study {

namespace {

constexpr std::size_t kMostTasks = 1000;
constexpr const char* kSlurmPackage = "slurm-client, or run softfeb on a host that submits to Slurm";

/// Finds the number after `key` in the output of a program; returns `usual` if there is none.
std::size_t number_after(const std::string& text, const std::string& key, std::size_t usual) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return usual;
  const std::size_t from = text.find_first_of("0123456789", at + key.size());
  std::size_t value = 0;
  if (from == std::string::npos ||
      std::from_chars(text.data() + from, text.data() + text.size(), value).ec != std::errc())
    return usual;
  return value;
}

/// Returns the maximum number of elements of a job array, at most kMostTasks. Array indices begin at 1, and
/// Slurm requires them to be less than MaxArraySize.
std::size_t most_array_elements() {
  const std::string text = run_command({"scontrol", "show", "config"}, "", true, kSlurmPackage).output;
  const std::size_t size = number_after(text, "MaxArraySize", kMostTasks + 1);
  return std::clamp<std::size_t>(size - std::min<std::size_t>(size, 1), 1, kMostTasks);
}

/// Number of CPUs of all partitions. sinfo prints allocated/idle/other/total.
std::size_t slurm_cpus() {
  const std::string text = run_command({"sinfo", "-h", "-o", "%C"}, "", true, kSlurmPackage).output;
  std::size_t total = 0;
  for (const std::string& line : words_of(text))
    total = std::max(total, number_after(line.substr(std::min(line.rfind('/'), line.size())), "/", 0));
  return std::max<std::size_t>(total, 1);
}

/// Returns the ID that `sbatch --parsable` prints: ID[;CLUSTER].
std::string submitted(const Arguments& command, const std::string& script) {
  const CommandResult result = run_command(command, script, true, kSlurmPackage);
  const std::string id = result.output.substr(0, result.output.find_first_of(";\n"));
  if (result.status != 0 || id.empty()) {
    throw EnvironmentError("Slurm did not accept the job",
                           "fix: see the message of sbatch above; pass options such as "
                           "a partition with --on-args \"-p NAME\"");
  }
  return id;
}

Arguments plus(Arguments command, const Arguments& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

}  // namespace

std::size_t tasks_for(double seconds, std::size_t cpus, std::size_t points, std::size_t most) {
  constexpr double kShortest = 5, kUsual = 30;
  const auto by = [&](double each) {
    return static_cast<std::size_t>(std::floor(std::max(seconds, 0.0) / each));
  };
  const std::size_t wanted = std::max(by(kUsual), std::min(cpus, by(kShortest)));
  return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, std::min(points, most)));
}

std::vector<std::size_t> tasks_with_points(const std::vector<std::size_t>& missing, std::size_t count) {
  std::vector<std::size_t> numbers;
  for (const std::size_t point : missing) numbers.push_back(point % count + 1);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::string ranges(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text += last == i ? std::to_string(numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string task_script(const Submission& s, std::size_t count, const std::string& variable) {
  return fmt::format("#!/bin/sh\nexec {} --existing --task \"${}/{}\"\n", shell_quoted(s.sweep), variable,
                     count);
}

std::string submit_to_slurm(const Submission& s) {
  const std::size_t most = most_array_elements();
  const double work = s.seconds_per_point * static_cast<double>(s.missing.size());
  const std::size_t count =
      std::min(most, s.options.tasks.value_or(tasks_for(work, slurm_cpus(), s.missing.size(), most)));
  const std::vector<std::size_t> numbers = tasks_with_points(s.missing, count);
  const Arguments args = words_of(s.options.engine_args);
  Arguments array{"sbatch",
                  "--parsable",
                  "--requeue",
                  "--job-name=softfeb-sweep",
                  "--array=" + ranges(numbers),
                  "--output=" + s.folder + "/log/slurm-%A_%a.out"};
  if (s.options.threads) array.push_back(fmt::format("--cpus-per-task={}", *s.options.threads));
  const std::string job =
      submitted(plus(std::move(array), args), task_script(s, count, "SLURM_ARRAY_TASK_ID"));
  const Arguments after{"sbatch",
                        "--parsable",
                        "--requeue",
                        "--job-name=softfeb-collect",
                        "--dependency=afterany:" + job,
                        "--output=" + s.folder + "/log/collect-%j.out"};
  const std::string script = fmt::format("#!/bin/sh\nexec {}\n", shell_quoted(plus(s.sweep, s.collect)));
  const std::string collecting = submitted(plus(after, args), script);
  return fmt::format("Slurm job {} runs {} points in {} tasks; job {} then collects them in {}", job,
                     s.missing.size(), numbers.size(), collecting, s.folder);
}

int run_with_parallel(const Submission& s) {
  const std::size_t count = s.options.tasks.value_or(std::min(s.points, kMostTasks));
  Arguments command{"parallel", "--will-cite", "--retries", "3", "--joblog", s.folder + "/log/parallel.tsv"};
  if (!s.options.hosts.empty()) {
    // Without --workdir, tasks on other hosts would start in the home directory, and relative paths would be
    // wrong.
    const std::string here = std::filesystem::current_path().string();
    command = plus(std::move(command), {"--sshlogin", s.options.hosts, "--workdir", here});
  }
  command = plus(std::move(command), words_of(s.options.engine_args));
  command.push_back(fmt::format("{} --existing --quiet --task {{}}/{}", shell_quoted(s.sweep), count));
  std::string numbers;
  for (const std::size_t number : tasks_with_points(s.missing, count)) numbers += fmt::format("{}\n", number);
  return run_command(command, numbers, false, "parallel").status;
}

}  // namespace softfeb::study
