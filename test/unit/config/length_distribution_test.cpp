// SPDX-License-Identifier: BSD-3-Clause
#include "config/length_distribution.hpp"

#include "base/published_cdfs.hpp"
#include "config/error.hpp"
#include "support/temporary_directory.hpp"

#include <fstream>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;

namespace {

/// Returns the first line of the error that `text` causes; empty if `text` is accepted.
std::string error_of(const std::string& text) {
  try {
    parse_length_distribution(text, "lengths.txt");
  } catch (const ConfigError& e) {
    return to_string(e.problems().front());
  }
  return {};
}

}  // namespace

TEST_CASE("a distribution file has two columns, comments and empty lines", "[length_distribution]") {
  const Cdf cdf =
      parse_length_distribution("# bytes  probability\n\n0 0\r\n \t100\t0.25 # short\n4096 1", "lengths.txt");
  CHECK(cdf.points() == std::vector<Cdf::Point>{{0, 0}, {100, 0.25}, {4096, 1}});
}

TEST_CASE("a distribution written to a file is read back", "[length_distribution]") {
  const softfeb::test::TemporaryDirectory directory;
  const std::string path = directory.path() / "hadoop.txt";
  const Cdf hadoop = hadoop_cdf();
  std::ofstream out(path);
  for (const auto& point : hadoop.points()) out << point.bytes << ' ' << point.probability << '\n';
  out.close();
  CHECK(load_length_distribution(path).points() == hadoop.points());
  CHECK_THROWS_WITH(load_length_distribution(path + ".absent"), Catch::Contains(path + ".absent: "));
}

TEST_CASE("a file that never ends is refused", "[length_distribution]") {
  CHECK_THROWS_WITH(load_length_distribution("/dev/zero"),
                    Catch::Contains("/dev/zero: is larger than 16 MiB"));
}

TEST_CASE("errors name the line and the fix", "[length_distribution]") {
  CHECK(error_of("0 0\n5 1\n").empty());
  CHECK(
      error_of("# nothing\n") ==
      "lengths.txt: has no points; fix: write a length in bytes and a probability, for example: 10000 0.15");
  CHECK(error_of("0 0\n\n7\n8 1") ==
        "lengths.txt:3: has one column; fix: write a length in bytes and a probability, for example: 10000 "
        "0.15");
  CHECK(error_of("0 0 9\n8 1") ==
        "lengths.txt:1: has a third column `9`; fix: write a length in bytes and a probability, for example: "
        "10000 0.15");
  CHECK(error_of("0 0\n1k 1") == "lengths.txt:2: `1k` is not a length; fix: write a whole number of bytes");
  CHECK(error_of("-1 0\n9 1") == "lengths.txt:1: `-1` is not a length; fix: write a whole number of bytes");
  CHECK(error_of("0 0\n9 one") ==
        "lengths.txt:2: `one` is not a probability; fix: write a number from 0 to 1");
  CHECK(error_of("0 0\n9 15\n20 100") ==
        "lengths.txt:2: the probability is not within 0…1; fix: divide percentages by 100");
  CHECK(error_of("0 0\n9 nan\n") ==
        "lengths.txt:2: the probability is not within 0…1; fix: write a number from 0 to 1");
  CHECK(error_of("0 0\n9 0.5\n8 1") ==
        "lengths.txt:3: the length is below the previous one; fix: sort the lines; the probabilities are "
        "cumulative");
  CHECK(error_of("0 0\n3000000000 1") ==
        "lengths.txt:2: the length exceeds 2 GiB; fix: write at most 2147483648");
  CHECK(error_of("0 0\n9 0.5\n# end\n") ==
        "lengths.txt:2: the last probability is not 1; fix: add a line with the largest length and "
        "probability 1");
}

TEST_CASE("all lines with an error are listed", "[length_distribution]") {
  try {
    parse_length_distribution("x 0\n5 y\n6 0.5\n", "f");
    FAIL("accepted");
  } catch (const ConfigError& e) {
    REQUIRE(e.problems().size() == 2);
    CHECK(e.problems()[1].where.line == 2);
  }
}
