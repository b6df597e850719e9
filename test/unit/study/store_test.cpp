// SPDX-License-Identifier: BSD-3-Clause
#include "study/store.hpp"

#include "base/error.hpp"
#include "config/error.hpp"
#include "study/durable_file.hpp"
#include "study_sample.hpp"
#include "temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::study;
namespace fs = std::filesystem;

namespace {

const Grid kGrid = study_sample::grid();
const std::vector<std::size_t> kAll{0, 1, 2, 3, 4, 5};

Manifest manifest() {
  return {"1.0", {{"run", {{"duration", "1ms"}, {"seed", 1}}}}, {"k1", "k2", "k3", "k4", "k5", "k6"}};
}

/// A new study in a temporary folder.
struct NewStudy {
  test::TemporaryDirectory folder;
  Store store{folder.path().string() + "/study", kGrid};
  NewStudy() { store.create(manifest()); }
};

}  // namespace

TEST_CASE("A study stores its points under their number and key") {
  const NewStudy study;
  CHECK(study.store.missing(kAll).size() == 6);
  const Json point = study_sample::point(kGrid, 2, 9.25);
  study.store.write(2, point);
  CHECK(fs::exists(study.store.path("points/3-k3.json")));
  CHECK(study.store.missing(kAll) == std::vector<std::size_t>{0, 1, 3, 4, 5});
  CHECK(study.store.read(2) == point);
  CHECK(study.store.has(2));
  CHECK_FALSE(study.store.read(1));
  CHECK(study.store.unknown_files().empty());
}

TEST_CASE("A point that is stored twice is one file") {
  const NewStudy study;
  const Json point = study_sample::point(kGrid, 0, 1);
  study.store.write(0, point);
  study.store.write(0, point);
  CHECK(std::distance(fs::directory_iterator(study.store.path("points")), {}) == 1);
}

TEST_CASE("Another process finds the study") {
  const NewStudy study;
  study.store.write(1, study_sample::point(kGrid, 1, 1));
  Store other(study.store.folder(), kGrid);
  CHECK(other.exists());
  other.open(manifest());
  CHECK(other.key(5) == "k6");
  CHECK(other.has(1));
}

TEST_CASE("A folder with another study is refused, and the differences are named") {
  const NewStudy study;
  Store other(study.store.folder(), kGrid);
  Manifest m = manifest();
  m.config["run"]["duration"] = "2ms";
  m.config["run"]["web"] = "on";
  CHECK_THROWS_WITH(other.open(m),
                    Catch::Contains("sweep.json: belongs to another study") &&
                        Catch::Contains("/config/run/duration was \"1ms\" and is now \"2ms\"") &&
                        Catch::Contains("/config/run/web was absent and is now \"on\"") &&
                        Catch::Contains("fix: name another folder"));
  m = manifest();
  m.version = "1.1";
  CHECK_THROWS_WITH(other.open(m), Catch::Contains("/softfeb was \"1.0\" and is now \"1.1\""));
  const Grid shorter({kGrid.axes()[0], {.key = kGrid.axes()[1].key, .values = {"1", "2"}, .where = {}}});
  CHECK_THROWS_WITH(Store(study.store.folder(), shorter).open(manifest()),
                    Catch::Contains("/axes/1/values/2 was \"3\" and is now absent"));
}

TEST_CASE("A folder with a damaged manifest is refused") {
  const NewStudy study;
  for (const char* text : {"", "{", "[]", "{\"keys\": [1]}", "{\"keys\": 3}"}) {
    CAPTURE(text);
    std::ofstream(study.store.path("sweep.json")) << text;
    CHECK_THROWS_AS(Store(study.store.folder(), kGrid).open(manifest()), config::ConfigError);
  }
}

TEST_CASE("A damaged point is not a result") {
  const NewStudy study;
  std::ofstream(study.store.path("points/1-k1.json")) << "{\"values\": ";
  CHECK_FALSE(study.store.has(0));
  CHECK(study.store.missing({0}) == std::vector<std::size_t>{0});
}

TEST_CASE("Files that do not belong to the study are listed") {
  const NewStudy study;
  std::ofstream(study.store.path("points/7-k7.json")) << "{}";
  std::ofstream(study.store.path("points/1-k1.json.host.12")) << "{";
  CHECK(study.store.unknown_files() == std::vector<std::string>{"1-k1.json.host.12", "7-k7.json"});
}

TEST_CASE("The log has a line for each point of the process") {
  const NewStudy study;
  study.store.log({{"point", 1}});
  study.store.log({{"point", 2}});
  CHECK(read_file(study.store.path("log/" + process_name() + ".jsonl")) == "{\"point\":1}\n{\"point\":2}\n");
}

TEST_CASE("A file that cannot be written is an error of the environment, and leaves nothing behind") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_AS(write_durably(folder.path().string() + "/no/file", "text", "host.1"), EnvironmentError);
  fs::create_directory(folder.path().string() + "/taken");
  std::ofstream(folder.path().string() + "/taken/x") << "x";
  CHECK_THROWS_AS(write_durably(folder.path().string() + "/taken", "text", "host.1"), EnvironmentError);
  CHECK_FALSE(fs::exists(folder.path().string() + "/taken.host.1"));
  CHECK_THROWS_AS(read_file(folder.path().string() + "/none"), EnvironmentError);
}
