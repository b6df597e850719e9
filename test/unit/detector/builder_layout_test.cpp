// SPDX-License-Identifier: BSD-3-Clause
#include "detector/builder_layout.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb::detector;

namespace {

constexpr BuilderLayout kLayout{{.boards = 4, .builders = 2, .slots = 16, .slot = 4096, .piece = 1000}, 1};

}  // namespace

TEST_CASE("equal layouts have no difference", "[detector]") {
  CHECK(compare_layouts(kLayout, kLayout).empty());
}

TEST_CASE("each value of a layout is compared", "[detector]") {
  const auto difference = [](auto change) {
    BuilderLayout other = kLayout;
    change(other);
    const auto list = compare_layouts(kLayout, other);
    REQUIRE(list.size() == 1);
    CHECK(list[0].boards + 1 == list[0].builder);
    return std::string(list[0].name);
  };
  CHECK(difference([](BuilderLayout& b) { ++b.layout.boards; }) == "boards");
  CHECK(difference([](BuilderLayout& b) { ++b.layout.slots; }) == "slots");
  CHECK(difference([](BuilderLayout& b) { ++b.layout.slot; }) == "slot");
  CHECK(difference([](BuilderLayout& b) { ++b.layout.piece; }) == "piece");
  CHECK(difference([](BuilderLayout& b) { ++b.layout.builders; }) == "builders");
  CHECK(difference([](BuilderLayout& b) { ++b.builder; }) == "builder");
}
