// SPDX-License-Identifier: BSD-3-Clause
#include "config/installation.hpp"

#include "temporary_directory.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

using namespace softfeb;
namespace fs = std::filesystem;

TEST_CASE("an installed program finds the data files of its prefix", "[installation]") {
  const softfeb::test::TemporaryDirectory folder;
  const fs::path prefix = folder.path() / "opt";
  fs::create_directories(prefix / "share/softfeb/conf");
  const fs::path program = prefix / "bin/softfeb";
  CHECK(fs::equivalent(config::data_folder_of(program, "conf"), prefix / "share/softfeb/conf"));
  CHECK(config::data_folder_of(program, "report").empty());
}

TEST_CASE("a program in a build folder finds the data files of its sources", "[installation]") {
  const softfeb::test::TemporaryDirectory folder;
  const fs::path build = folder.path() / "build";
  fs::create_directories(folder.path() / "conf");
  fs::create_directories(build / "share/softfeb");
  fs::create_directory_symlink(folder.path() / "conf", build / "share/softfeb/conf");
  const fs::path program = build / "app/softfeb/softfeb";
  // A folder counts as a build folder only if meson has created it.
  CHECK(config::data_folder_of(program, "conf").empty());
  fs::create_directories(build / "meson-private");
  CHECK(config::data_folder_of(program, "conf") == fs::canonical(folder.path() / "conf"));
  CHECK(config::data_folder_of(build / "test/unit/config/unit_config", "conf") ==
        fs::canonical(folder.path() / "conf"));
  CHECK(config::data_folder_of(program, "report").empty());
}

TEST_CASE("softfeb's own configurations are found from each folder", "[installation]") {
  const std::string own = (fs::path(SOFTFEB_CONF_DIR) / "lab/incast.yaml").string();
  const softfeb::test::TemporaryDirectory folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  CHECK(config::find_configuration("conf/lab/incast.yaml") == own);
  CHECK(config::find_configuration("lab/incast.yaml") == "lab/incast.yaml");
  CHECK(config::find_configuration("conf/lab") == "conf/lab");
  CHECK(config::find_configuration("conf/none.yaml") == "conf/none.yaml");
  CHECK(config::find_configuration("/conf/lab/incast.yaml") == "/conf/lab/incast.yaml");
  CHECK(config::find_configuration("").empty());
  // A file of this name in the current folder has precedence.
  fs::create_directories("conf/lab");
  std::ofstream("conf/lab/incast.yaml") << "boards: []\n";
  CHECK(config::find_configuration("conf/lab/incast.yaml") == "conf/lab/incast.yaml");
  fs::current_path(before);
}
