// SPDX-License-Identifier: BSD-3-Clause
#include "study/task.hpp"

#include "config/error.hpp"

#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb::study;
using softfeb::config::ConfigError;

namespace {

Environment variables(std::map<std::string, std::string> all) {
  return [all = std::move(all)](const char* name) -> std::optional<std::string> {
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  };
}

const Environment kNothing = variables({});

}  // namespace

TEST_CASE("A task has every count-th point") {
  const Task task = parse_task("3/64", kNothing);
  CHECK(task == Task{3, 64});
  std::vector<std::size_t> points;  // from 1, as in the documentation
  for (std::size_t p = 0; p < 140; ++p) {
    if (task.has(p)) points.push_back(p + 1);
  }
  CHECK(points == std::vector<std::size_t>{3, 67, 131});
}

TEST_CASE("Each point belongs to exactly one task") {
  for (std::size_t p = 0; p < 50; ++p) {
    std::size_t owners = 0;
    for (std::size_t n = 1; n <= 7; ++n) owners += Task{n, 7}.has(p) ? 1 : 0;
    CHECK(owners == 1);
  }
}

TEST_CASE("Text that is not a task is refused") {
  for (const char* text : {"", "3", "3/", "/3", "0/3", "4/3", "-1/3", "1/0", "1/3x", "1 / 3", "Auto",
                           "99999999999999999999/3", "1/99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_task(text, kNothing), ConfigError);
  }
}

TEST_CASE("Launchers number their processes") {
  CHECK(parse_task("auto", variables({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}})) ==
        Task{2, 4});
  CHECK(parse_task("auto", variables({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}})) == Task{1, 2});
  CHECK(parse_task("auto", variables({{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "3"}})) == Task{3, 3});
}

TEST_CASE("A batch script is not a rank, although Slurm numbers it") {
  CHECK_THROWS_WITH(parse_task("auto", variables({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}})),
                    Catch::Contains("--task"));
}

TEST_CASE("Elements of a job array are numbered from the first one") {
  std::map<std::string, std::string> array{{"SLURM_ARRAY_TASK_ID", "5"},
                                           {"SLURM_ARRAY_TASK_MIN", "2"},
                                           {"SLURM_ARRAY_TASK_MAX", "9"},
                                           {"SLURM_ARRAY_TASK_COUNT", "8"}};
  CHECK(parse_task("auto", variables(array)) == Task{4, 8});
  array["SLURM_PROCID"] = "1";
  array["SLURM_STEP_NUM_TASKS"] = "2";
  CHECK(parse_task("auto", variables(array)) == Task{8, 16});
}

TEST_CASE("A job array with gaps is refused, because its elements do not know their points") {
  CHECK_THROWS_WITH(parse_task("auto", variables({{"SLURM_ARRAY_TASK_ID", "5"},
                                                  {"SLURM_ARRAY_TASK_MIN", "2"},
                                                  {"SLURM_ARRAY_TASK_MAX", "9"},
                                                  {"SLURM_ARRAY_TASK_COUNT", "3"}})),
                    Catch::Contains("consecutive") && Catch::Contains("$SLURM_ARRAY_TASK_ID"));
}

TEST_CASE("A task uses one CPU unless Slurm gave it more") {
  CHECK(thread_count(std::nullopt, true, kNothing) == 1);
  CHECK(thread_count(std::nullopt, true, variables({{"SLURM_CPUS_PER_TASK", "6"}})) == 6);
  CHECK(thread_count(3, true, variables({{"SLURM_CPUS_PER_TASK", "6"}})) == 3);
  CHECK(thread_count(std::nullopt, false, kNothing) >= 1);
}
