// SPDX-License-Identifier: BSD-3-Clause
#include "craft_check.hpp"

#include <catch2/catch.hpp>

namespace softfeb::bench {
namespace {

using Json = nlohmann::ordered_json;

Json totals(unsigned refused, unsigned failed) {
  return {{"packets", 7}, {"refused", refused}, {"failed", failed}};
}

Json result() {
  return {{"runs", {1.0, 2.0}},
          {"bare", {{"median_mpps", 1.0}}},
          {"engine_only", {{"median_mpps", 1.0}, {"totals", totals(0, 0)}}},
          {"few_qps", {{"median_mpps", 1.0}, {"totals", totals(0, 0)}}},
          {"totals", totals(0, 0)}};
}

TEST_CASE("craft: refused frames and failed messages are reported for each board") {
  CHECK(craft_failure(result()).empty());
  for (const char* key : {"refused", "failed"}) {
    Json own = result();
    own["totals"][key] = 1;
    CHECK(craft_failure(own).starts_with("packets were refused"));
    for (const char* board : {"engine_only", "few_qps"}) {
      Json beside = result();
      beside[board]["totals"][key] = 1;
      CHECK(craft_failure(beside).starts_with(std::string(board) + ": "));
    }
  }
}

TEST_CASE("craft: a result without its totals is invalid") {
  Json none = result();
  none.erase("totals");
  CHECK_THROWS(craft_failure(none));
}

}  // namespace
}  // namespace softfeb::bench
