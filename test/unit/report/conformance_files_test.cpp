// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_files.hpp"

#include "conformance_sample.hpp"
#include "dataplane/error.hpp"
#include "temporary_directory.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <sys/resource.h>

using namespace softfeb;
using namespace softfeb::report;
namespace fs = std::filesystem;

namespace {

const conformance::Catalogue& catalogue() {
  static const conformance::Catalogue kCatalogue = test::sample_catalogue();
  return kCatalogue;
}

const conformance::SuiteResult& sample() {
  static const conformance::SuiteResult kSample = test::sample_conformance(catalogue());
  return kSample;
}

const ConformanceExtras kExtras = {.config = "ports: []\n", .profile = "name: sample\n", .strict = false};

/// Returns the sample run with its first case only.
conformance::SuiteResult short_sample() {
  conformance::SuiteResult out = sample();
  out.cases.erase(out.cases.begin() + 1, out.cases.end());
  return out;
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.insert(entry.path().filename().string());
  return out;
}

/// Returns the error of check_conformance_folder(), which must be the same as that of write_conformance().
std::string refusal(const fs::path& folder) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const dataplane::EnvironmentError& e) {
      return e.what();
    }
    return "accepted";
  };
  const std::string before = message([&] { check_conformance_folder(folder.string()); });
  CHECK(message([&] { write_conformance(short_sample(), catalogue(), folder.string(), kExtras); }) == before);
  return before;
}

/// While an object of this class exists, this process cannot make a file longer than `bytes`, as if the disk
/// were full.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit old_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("the folder has a page for each case, and a capture if it has packets", "[conformance_files]") {
  const test::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "new" / "results";
  write_conformance(sample(), catalogue(), folder.string(), kExtras);
  CHECK(names_in(folder) == std::set<std::string>{"index.html", "result.json", "junit.xml", "profile.yaml",
                                                  "config.yaml", "cases"});
  std::set<std::string> expected;
  for (const conformance::CaseResult& r : sample().cases) {
    expected.insert(r.of->id + ".html");
    if (!r.trace.empty()) expected.insert(r.of->id + ".pcapng");
  }
  CHECK(names_in(folder / "cases") == expected);
  CHECK(expected.count("ACK-01.pcapng") == 1);
  CHECK(expected.count("OTH-01.pcapng") == 0);  // the case is not applicable
  CHECK(text_of(folder / "config.yaml") == "ports: []\n");
  CHECK(text_of(folder / "profile.yaml") == "name: sample\n");
  // Others may read the folder, for example a web server.
  CHECK((fs::status(folder).permissions() & fs::perms::others_exec) != fs::perms::none);
  // No temporary files are left beside the folder.
  CHECK(names_in(folder.parent_path()) == std::set<std::string>{"results"});
}

TEST_CASE("results of an earlier run are replaced as a whole", "[conformance_files]") {
  const test::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "results";
  write_conformance(sample(), catalogue(), folder.string(), kExtras);
  REQUIRE(names_in(folder / "cases").size() > 100);
  check_conformance_folder(folder.string());
  CHECK(names_in(folder / "cases").size() > 100);
  // The trailing slash and the symbolic link lead to the same folder.
  fs::create_directory_symlink("results", directory.path() / "link");
  const std::string name = GENERATE("results", "results/", "link", "./link/../results");
  write_conformance(short_sample(), catalogue(), (directory.path() / name).string(), kExtras);
  CHECK(names_in(folder / "cases") == std::set<std::string>{"BAS-01.html", "BAS-01.pcapng"});
  CHECK(names_in(directory.path()) == std::set<std::string>{"results", "link"});
  CHECK(fs::is_symlink(directory.path() / "link"));
}

TEST_CASE("an empty folder is used", "[conformance_files]") {
  const test::TemporaryDirectory directory;
  check_conformance_folder(directory.path().string());
  CHECK(fs::is_empty(directory.path()));
  write_conformance(short_sample(), catalogue(), directory.path().string(), kExtras);
  CHECK(fs::exists(directory.path() / "index.html"));
}

TEST_CASE("a folder with other files is refused, and nothing is lost", "[conformance_files]") {
  const test::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "mine";
  SECTION("a file with another name") {
    write_conformance(short_sample(), catalogue(), folder.string(), kExtras);
    write(folder / "thesis.tex", "mine");
    CHECK_THAT(refusal(folder), Catch::Contains("mine contains thesis.tex, so it is no result of softfeb") &&
                                    Catch::EndsWith("; name another folder with --out"));
    CHECK(text_of(folder / "thesis.tex") == "mine");
  }
  SECTION("a configuration, whose name is also that of a result") {
    write(folder / "config.yaml", "mine");
    CHECK_THAT(refusal(folder), Catch::Contains("mine contains no index.html, so"));
    CHECK(text_of(folder / "config.yaml") == "mine");
  }
  SECTION("a file among the cases") {
    write_conformance(short_sample(), catalogue(), folder.string(), kExtras);
    write(folder / "cases" / "notes.txt", "mine");
    CHECK_THAT(refusal(folder), Catch::Contains("mine contains cases/notes.txt, so"));
    CHECK(text_of(folder / "cases" / "notes.txt") == "mine");
  }
  SECTION("a folder among the cases") {
    write_conformance(short_sample(), catalogue(), folder.string(), kExtras);
    write(folder / "cases" / "a.html" / "data", "mine");
    CHECK_THAT(refusal(folder), Catch::Contains("mine contains cases/a.html, so"));
    CHECK(text_of(folder / "cases" / "a.html" / "data") == "mine");
  }
  SECTION("a folder with the name of a result") {
    write(folder / "index.html" / "data", "mine");
    CHECK_THAT(refusal(folder), Catch::Contains("mine contains index.html, so"));
    CHECK(text_of(folder / "index.html" / "data") == "mine");
  }
  SECTION("a file in the place of the folder") {
    write(folder, "mine");
    CHECK_THAT(refusal(folder), Catch::Contains("cannot write ") && Catch::Contains("mine: it is a file"));
    CHECK(text_of(folder) == "mine");
  }
  CHECK(names_in(directory.path()) == std::set<std::string>{"mine"});
}

TEST_CASE("a folder that cannot be made is refused with the reason", "[conformance_files]") {
  // Not even root can create a folder here.
  CHECK_THAT(refusal("/proc/softfeb"), Catch::StartsWith("cannot write /proc/softfeb: ") &&
                                           Catch::EndsWith("; name a folder with --out that can be written"));
  CHECK_THAT(refusal("/dev/null/results"),
             Catch::StartsWith("cannot write /dev/null/results: Not a directory"));
}

TEST_CASE("a full disk leaves the results of the earlier run", "[conformance_files]") {
  const test::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "results";
  write_conformance(short_sample(), catalogue(), folder.string(), kExtras);
  const std::string before = text_of(folder / "result.json");
  std::string message;
  {
    const FileLimit full(100);
    try {
      write_conformance(sample(), catalogue(), folder.string(), kExtras);
    } catch (const dataplane::EnvironmentError& e) {
      message = e.what();
    }
  }
  CHECK_THAT(message, Catch::StartsWith("cannot write ") && Catch::Contains(": File too large"));
  CHECK(text_of(folder / "result.json") == before);
  CHECK(names_in(folder / "cases") == std::set<std::string>{"BAS-01.html", "BAS-01.pcapng"});
  CHECK(names_in(directory.path()) == std::set<std::string>{"results"});
}
