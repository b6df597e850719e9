// SPDX-License-Identifier: BSD-3-Clause
#include "config/document.hpp"
#include "lab_documents.hpp"
#include "support/temporary_directory.hpp"

#include <algorithm>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Creates files in a temporary directory. The destructor removes the directory.
class Files {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_.path() / name) << text;
    return (directory_.path() / name).string();
  }

 private:
  softfeb::test::TemporaryDirectory directory_;
};

std::string problem_of(const std::string& path) {
  try {
    softfeb::config::load_lab(path, {}, kNow);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

nlohmann::ordered_json resolved(const std::string& name) {
  auto json = to_json(softfeb::config::load_lab(std::string(SOFTFEB_CONF_DIR "/lab/") + name, {}, kNow));
  return json;
}

}  // namespace

TEST_CASE("a file is based on another and changes keys") {
  const Files files;
  files.write("a.yaml", kLabBase);
  files.write("b.yaml", "base: a.yaml\nset:\n  run.duration: 2s\n  boards.feb.dscp: 26\n");
  const std::string c = files.write("c.yaml", "base: b.yaml\nset: {run.duration: 3s}\n");
  const LabConfig config = softfeb::config::load_lab(c, {"boards.feb.count=2"}, kNow);
  CHECK(config.run.run.duration == 3 * softfeb::kSecond);
  CHECK(config.run.boards.size() == 2);
  CHECK(config.run.boards[1].endpoint.dscp == 26);
  CHECK(config.run.place(config.run.run.where, "duration").file == c);
  CHECK(config.run.place(config.run.run.where, "duration").line == 2);
  const std::string d = files.write("d.yaml", "base: a.yaml\n");
  CHECK(to_json(softfeb::config::load_lab(d, {}, kNow)) == to_json(test::load_lab(kLabBase)));
}

TEST_CASE("problems are reported at the key's place") {
  const Files files;
  files.write("a.yaml", kLabBase);
  const auto says = [&](const std::string& text, const std::string& what) {
    const std::string path = files.write("d.yaml", text);
    INFO(text);
    CHECK_THAT(problem_of(path), Catch::Contains(what));
  };
  says("base: a.yaml\nset:\n  boards.feb.dsp: 26\n", "d.yaml:3: boards.0.dsp: unknown key");
  says("base: a.yaml\nset:\n  boards.fob.dscp: 26\n",
       "d.yaml:3: boards.fob.dscp: the list has no element \"fob\"");
  says("base: a.yaml\nset: [1]\n", "d.yaml:2: set: is not a map");
  says("base: a.yaml\nrun: {duration: 2s}\n", "d.yaml:2: run: only `set` may appear beside `base`");
  says("base: none.yaml\n", "d.yaml:1: base: no file");
  says("base: [a.yaml]\n", "d.yaml:1: base: does not name a file");
  says("base: d.yaml\n", "d.yaml:1: base: is based on too many files");
  says("set: {run.duration: 2s}\n", "unknown key `set`");
}

TEST_CASE("every experiment loads and reads back as itself") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SOFTFEB_CONF_DIR "/lab")) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path());
    const LabConfig config = softfeb::config::load_lab(entry.path().string(), {}, kNow);
    CHECK(to_json(load_lab_text(to_yaml(config), "again", {}, kNow)) == to_json(config));
    CHECK_FALSE(config.lab.title.empty());
    CHECK_FALSE(config.lab.shows.empty());
    CHECK_FALSE(config.lab.corresponds.empty());
    CHECK(config.lab.bottleneck.has_value() != config.network.switches.empty());
    ++files;
  }
  CHECK(files >= 10);
}

TEST_CASE("every value of a parameter study can be set") {
  const std::string path = SOFTFEB_CONF_DIR "/lab/sweep.yaml";
  const auto plain = to_json(softfeb::config::load_lab(path, {}, kNow));
  const LabConfig study = softfeb::config::load_lab(path, {}, kNow);
  REQUIRE(study.lab.sweep.size() >= 2);
  for (const SweepAxis& axis : study.lab.sweep) {
    std::size_t different = 0;
    for (const std::string& value : axis.values) {
      INFO(axis.key << '=' << value);
      different += to_json(softfeb::config::load_lab(path, {axis.key + '=' + value}, kNow)) != plain ? 1 : 0;
    }
    CHECK(different + 1 >= axis.values.size());
  }
}

TEST_CASE("an experiment without DCQCN differs from the one with it by one key") {
  const std::string name = GENERATE("incast", "victim");
  auto with = resolved(name + ".yaml");
  auto without = resolved(name + "-no-dcqcn.yaml");
  // The comparison leaves out the section `lab`, because the names and the checks of the two experiments may
  // differ.
  for (auto* json : {&with, &without}) json->erase("lab");
  REQUIRE(with["boards"].size() >= 3);
  for (std::size_t b = 0; b < with["boards"].size(); ++b) {
    CHECK(without["boards"][b]["dcqcn"] == "off");
    CHECK(with["boards"][b]["dcqcn"] != "off");
    without["boards"][b]["dcqcn"] = with["boards"][b]["dcqcn"];
  }
  CHECK(with == without);
}
