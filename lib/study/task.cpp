// SPDX-License-Identifier: BSD-3-Clause
#include "study/task.hpp"

#include "config/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

namespace softfeb::study {

namespace {

constexpr std::size_t kLargestNumber = 1'000'000;

[[noreturn]] void refuse_task(const std::string& why, const std::string& fix) {
  throw config::ConfigError({{{"--task", 0, ""}, why, fix}});
}

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kLargestNumber) return std::nullopt;
  return value;
}

std::optional<std::size_t> number_of(const Environment& environment, const char* name) {
  const auto text = environment(name);
  return text ? parse_number(*text) : std::nullopt;
}

/// Reads a task from two environment variables: its number, counted from 0, and the number of tasks. Returns
/// nullopt if a variable is not set or has no valid value.
std::optional<Task> task_of(const Environment& environment, const char* number, const char* count) {
  const auto n = number_of(environment, number);
  const auto c = number_of(environment, count);
  if (!n || !c || *c == 0 || *n >= *c) return std::nullopt;
  return Task{*n + 1, *c};
}

/// Reads the task of an element of a job array. The array indices must be consecutive, because the index of
/// an element and the number of elements determine the points of the element.
std::optional<Task> array_element(const Environment& environment) {
  const auto id = number_of(environment, "SLURM_ARRAY_TASK_ID");
  const auto first = number_of(environment, "SLURM_ARRAY_TASK_MIN");
  const auto last = number_of(environment, "SLURM_ARRAY_TASK_MAX");
  const auto count = number_of(environment, "SLURM_ARRAY_TASK_COUNT");
  if (!id || !first || !last || !count) return std::nullopt;
  if (*last < *first || *id < *first || *last - *first + 1 != *count)
    refuse_task("the numbers of this job array are not consecutive",
                "give the whole array, such as --array=1-64, or write --task \"$SLURM_ARRAY_TASK_ID/64\"");
  return Task{*id - *first + 1, *count};
}

/// Reads the task from the rank among the processes that srun or mpirun started together.
std::optional<Task> rank(const Environment& environment) {
  // SLURM_PROCID alone does not show that srun started the process, because Slurm sets it also for batch
  // scripts. Slurm sets SLURM_STEP_NUM_TASKS only for srun.
  for (const auto& [number, count] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, std::pair{"PMI_RANK", "PMI_SIZE"},
        std::pair{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}) {
    if (const auto task = task_of(environment, number, count)) return task;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> process_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Task parse_task(const std::string& text, const Environment& environment) {
  if (text == "auto") {
    const auto element = array_element(environment);
    const auto own = rank(environment);
    if (!element && !own)
      refuse_task("neither Slurm nor an MPI launcher has numbered this process",
                  "start it with sbatch --array, srun or mpirun, or write --task I/N");
    const Task outer = element.value_or(Task{}), inner = own.value_or(Task{});
    return {(outer.number - 1) * inner.count + inner.number, outer.count * inner.count};
  }
  const std::size_t slash = text.find('/');
  const auto number = parse_number(std::string_view(text).substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : parse_number(std::string_view(text).substr(slash + 1));
  if (!number || !count || *number == 0 || *number > *count)
    refuse_task(fmt::format("\"{}\" is not a task", text.substr(0, 64)),
                "write I/N with I from 1 to N, such as 3/64, or auto");
  return {*number, *count};
}

std::size_t thread_count(std::optional<std::size_t> chosen, bool is_task, const Environment& environment) {
  if (chosen) return *chosen;
  if (is_task) return std::max<std::size_t>(1, number_of(environment, "SLURM_CPUS_PER_TASK").value_or(1));
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return static_cast<std::size_t>(CPU_COUNT(&allowed));
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace softfeb::study
