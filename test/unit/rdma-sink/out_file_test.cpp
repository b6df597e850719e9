// SPDX-License-Identifier: BSD-3-Clause
#include "out_file.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

using softfeb::sink::why_not_writable;

TEST_CASE("writable files, and reasons for others") {
  CHECK(why_not_writable("softfeb-no-such-file").empty());
  CHECK(why_not_writable("/dev/null").empty());
  CHECK_FALSE(std::filesystem::exists("softfeb-no-such-file"));  // the check does not create the file
  for (const char* path : {"", "/", "/no/such/folder/file", "/dev/null/file"}) {
    INFO(path);
    CHECK(why_not_writable(path).find("; fix: name a file") != std::string::npos);
  }
}
