// SPDX-License-Identifier: BSD-3-Clause
#include "report/atomic_file.hpp"

#include "dataplane/error.hpp"
#include "temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace softfeb;
using report::AtomicFile;

TEST_CASE("a file gets its name when it is complete", "[atomic_file]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.json").string();
  std::ofstream(path) << "old";
  {
    AtomicFile file(path);
    file.write("new");
    CHECK(std::filesystem::file_size(path) == 3);
    CHECK(std::filesystem::exists(path + ".part"));
    const bool commits = GENERATE(true, false);
    if (commits) file.commit();
    std::string text;
    std::ifstream(path) >> text;
    CHECK(text == (commits ? "new" : "old"));
  }
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_CASE("a file that cannot get its name leaves nothing behind", "[atomic_file]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.json").string();
  std::filesystem::create_directory(path);
  AtomicFile file(path);
  file.write("new");
  CHECK_THROWS_WITH(file.commit(), Catch::Contains("cannot write " + path + ": Is a directory"));
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_CASE("a FIFO or a device is written and stays what it is", "[atomic_file]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "fifo").string();
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const int reader = open(path.c_str(), O_RDWR);  // with O_RDWR, open() does not wait for a writer
  REQUIRE(reader >= 0);
  {
    AtomicFile file(path);
    file.write("new");
    file.commit();
  }
  { const AtomicFile abandoned(path); }
  std::string text(3, ' ');
  CHECK(read(reader, text.data(), text.size()) == 3);
  CHECK(text == "new");
  close(reader);
  CHECK(std::filesystem::is_fifo(path));
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
}
