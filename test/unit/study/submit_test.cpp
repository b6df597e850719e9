// SPDX-License-Identifier: BSD-3-Clause
#include "study/submit.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb::study;
using Numbers = std::vector<std::size_t>;

TEST_CASE("Tasks take at least 30 s, or 5 s if that keeps all CPUs busy") {
  CHECK(tasks_for(3000, 16, 10'000, 1000) == 100);  // each task takes 30 s
  CHECK(tasks_for(100, 16, 10'000, 1000) == 16);    // one task for each CPU, each of 6 s
  CHECK(tasks_for(50, 2, 1000, 1000) == 2);         // one task for each CPU
  CHECK(tasks_for(20, 16, 10'000, 1000) == 4);      // each task takes 5 s
  CHECK(tasks_for(1, 16, 10'000, 1000) == 1);
  CHECK(tasks_for(1e6, 16, 10'000, 1000) == 1000);  // never more than the last argument
  CHECK(tasks_for(1e6, 16, 45, 1000) == 45);        // at most one task for each point
  CHECK(tasks_for(0, 0, 0, 1) == 1);
}

TEST_CASE("Only tasks with missing points run") {
  CHECK(tasks_with_points({0, 1, 2, 3}, 2) == Numbers{1, 2});
  CHECK(tasks_with_points({4, 9, 14}, 5) == Numbers{5});
  CHECK(tasks_with_points({7, 3}, 100) == Numbers{4, 8});
}

TEST_CASE("Numbers of a job array are written as ranges") {
  CHECK(ranges({1, 2, 3, 4}) == "1-4");
  CHECK(ranges({1, 3, 4, 7}) == "1,3-4,7");
  CHECK(ranges({9}) == "9");
}

TEST_CASE("The script of an array's element names its task") {
  const Submission s{.folder = "/data/study",
                     .sweep = {"/usr/bin/softfeb", "lab", "sweep", "-c", "/data/my lab.yaml"},
                     .collect = {},
                     .points = 45,
                     .missing = {1},
                     .seconds_per_point = 1,
                     .options = {}};
  CHECK(task_script(s, 8, "SLURM_ARRAY_TASK_ID") ==
        "#!/bin/sh\nexec /usr/bin/softfeb lab sweep -c '/data/my lab.yaml' --existing --task "
        "\"$SLURM_ARRAY_TASK_ID/8\"\n");
}
