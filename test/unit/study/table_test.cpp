// SPDX-License-Identifier: BSD-3-Clause
#include "study/table.hpp"

#include "study_sample.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb::study;

namespace {

Points six_points(const Grid& grid) {
  Points points;
  for (std::size_t p = 0; p < grid.size(); ++p)
    points.push_back(study_sample::point(grid, p, 1 + static_cast<double>(p) / 8));
  return points;
}

}  // namespace

TEST_CASE("A table has a row for each point and only columns with values") {
  const Grid grid = study_sample::grid();
  const std::string text = text_table(grid, six_points(grid));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 1 + 6);
  CHECK_THAT(text, Catch::Contains("kmin") && Catch::Contains("goodput_gbps") && Catch::Contains("1.625"));
  CHECK_THAT(text, !Catch::Contains("latency_us"));
}

TEST_CASE("A CSV quotes cells with commas and leaves unknown values empty") {
  const Grid grid({{.key = "boards.feb.stop", .values = {"[1ms, 2ms]", ""}, .where = {}}});
  const std::string text = csv(grid, {study_sample::point(grid, 0, 2.5), study_sample::point(grid, 1, 3)});
  CHECK(text ==
        "boards.feb.stop,jain_min,port_used_min,queue_bytes_max,queue_bytes_mean,dropped,pause_tx,"
        "convergence_ms,retransmitted,demand_met,goodput_gbps,latency_us\n"
        "\"[1ms, 2ms]\",,,0,0,0,0,,0,,2.5,\n"
        ",,,0,0,0,0,,0,,3,\n");
}

TEST_CASE("A result survives being stored as text") {
  const Grid grid = study_sample::grid();
  Points points = six_points(grid), stored;
  points[2]["queue_bytes_mean"] = 1234.0625;
  points[3]["goodput_gbps"] = 0.1 + 0.2;
  for (const Json& p : points) stored.push_back(Json::parse(p.dump(1)));
  CHECK(csv(grid, stored) == csv(grid, points));
  CHECK(result_json({}, stored).dump() == result_json({}, points).dump());
}

TEST_CASE("A study holds if all its points do") {
  const Grid grid = study_sample::grid();
  Points points = six_points(grid);
  CHECK(all_held(points));
  CHECK(complaints(grid, points).empty());
  points[1]["verdict"] = "failed";
  points[1]["failed_checks"] = {"fairness_jain", "dropped"};
  points[4]["verdict"] = nullptr;
  points[4]["error"] = "no port";
  CHECK_FALSE(all_held(points));
  CHECK(result_json({}, points)["verdict"] == "failed");
  CHECK(complaints(grid, points) == std::vector<std::string>{"kmin=20KiB rhai=2: check fairness_jain failed",
                                                             "kmin=20KiB rhai=2: check dropped failed",
                                                             "kmin=40KiB rhai=2: no port"});
}
