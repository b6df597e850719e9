// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_profiles.hpp"

#include "temporary_directory.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;

namespace {

std::string written_profile(const std::string& name, const std::string& text) {
  static const test::TemporaryDirectory kFolder;
  const std::string path = (kFolder.path() / name).string();
  std::ofstream(path) << text;
  return path;
}

std::string load_error(const std::string& name) {
  static const conformance::Catalogue kCatalogue;
  try {
    load_profile(name, kCatalogue);
  } catch (const conformance::NotationError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the installed profiles load", "[conformance_profiles]") {
  const conformance::Catalogue catalogue;
  CHECK(installed_profiles() == std::vector<std::string>{"connectx-5", "connectx-6", "connectx-7", "e810",
                                                         "iba", "own", "rxe-6.1", "rxe-6.12"});
  for (const std::string& name : installed_profiles()) {
    const conformance::Profile p = load_profile(name, catalogue);
    CHECK(p.name == name);
    CHECK_FALSE(p.device.empty());
    CHECK_FALSE(p.sources.empty());
    // If the profile is written to the report and read again, it is still the same.
    std::string base;
    const std::string text = conformance::to_yaml(p);
    const conformance::Profile copy = conformance::parse_profile(text, name, catalogue, base);
    CHECK(base.empty());
    CHECK(copy.deviations.size() == p.deviations.size());
    CHECK(conformance::to_yaml(copy) == text);
  }
  CHECK(load_profile("iba", catalogue).deviations.empty());
  CHECK(load_profile("own", catalogue).deviations.empty());
  const auto old = load_profile("rxe-6.1", catalogue), newer = load_profile("rxe-6.12", catalogue);
  CHECK(old.deviations.size() == 16);
  CHECK(newer.deviations.size() == 14);
  CHECK(newer.deviations.count("LEN-04") == 0);
  CHECK(newer.deviations.count("LEN-09") == 0);
  CHECK(old.bounds_before_length == true);
  CHECK_FALSE(newer.bounds_before_length);
  CHECK(old.silence == 250 * kMillisecond);
  CHECK(load_profile("connectx-5", catalogue).cnps_with_naks == true);
  CHECK_FALSE(load_profile("connectx-7", catalogue).cnps_with_naks);
}

TEST_CASE("a profile is found by its path, and its base by name or beside it", "[conformance_profiles]") {
  const conformance::Catalogue catalogue;
  written_profile("base.yaml", "name: base\nbase: rxe-6.1\nlimits: {ACK-09.p99: 1}\n");
  const auto p = load_profile(written_profile("own.yaml", "name: mine\nbase: base.yaml\n"), catalogue);
  CHECK(p.name == "mine");
  CHECK(p.limits.size() == 1);
  CHECK(p.deviations.size() == 16);
}

TEST_CASE("the path of a profile becomes absolute, its name stays", "[conformance_profiles]") {
  CHECK(absolute_profile("rxe-6.1") == "rxe-6.1");
  CHECK(absolute_profile("mine.yaml") == (std::filesystem::current_path() / "mine.yaml").string());
  CHECK(absolute_profile("/a/../b") == "/b");
}

TEST_CASE("a profile that cannot be found is refused with a fix", "[conformance_profiles]") {
  CHECK_THAT(load_error("rxe-6.2"),
             Catch::StartsWith("unknown profile 'rxe-6.2'; the nearest is rxe-6.1; fix: use "
                               "one of connectx-5, "));
  CHECK_THAT(load_error("./absent.yaml"), Catch::Contains("cannot read ./absent.yaml: No such file"));
  CHECK_THAT(load_error("/"), Catch::Contains("cannot read /: Is a directory"));
  CHECK_THAT(load_error(written_profile("lost.yaml", "name: lost\nbase: ibb\n")),
             Catch::Contains("lost.yaml: base: unknown profile 'ibb'; the nearest is iba"));
  written_profile("b.yaml", "name: b\nbase: ./a.yaml\n");
  CHECK_THAT(load_error(written_profile("a.yaml", "name: a\nbase: b.yaml\n")),
             Catch::Contains("in a circle"));
}
