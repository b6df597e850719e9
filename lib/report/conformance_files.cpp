// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_files.hpp"

#include "dataplane/error.hpp"
#include "report/atomic_file.hpp"
#include "report/conformance_pages.hpp"
#include "report/conformance_result.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace softfeb::report {

namespace {

namespace fs = std::filesystem;
using conformance::CaseResult;
using dataplane::EnvironmentError;

constexpr std::array<std::string_view, 6> kFolderNames = {"index.html",   "result.json", "junit.xml",
                                                          "profile.yaml", "config.yaml", "cases"};

[[noreturn]] void cannot_write(const fs::path& path, const std::string& why) {
  throw EnvironmentError("cannot write " + path.string() + ": " + why,
                         "name a folder with --out that can be written");
}

/// The folder itself, even if `folder` ends in a slash or is a symbolic link.
fs::path real_folder(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(folder.empty() ? "." : folder, error);
  if (error) cannot_write(folder, error.message());
  if (!path.has_filename()) path = path.parent_path();
  return path;
}

/// True for a page or a capture: the folder cases/ must contain nothing else.
bool is_case_file(const fs::path& path) {
  return path.extension() == ".html" || path.extension() == ".pcapng";
}

/// Only a folder that contains nothing but results is replaced.
void check_contents(const fs::path& path) {
  const auto foreign = [&](const fs::path& found) {
    throw EnvironmentError(path.string() + " contains " + found.lexically_relative(path).string() +
                               ", which is no result of softfeb conformance",
                           "name another folder with --out");
  };
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kFolderNames.begin(), kFolderNames.end(), name) == kFolderNames.end())
      foreign(entry.path());
    if (name != "cases") continue;
    if (!entry.is_directory()) foreign(entry.path());
    for (const auto& one : fs::directory_iterator(entry.path())) {
      if (!one.is_regular_file() || !is_case_file(one.path())) foreign(one.path());
    }
  }
}

void check_folder(const fs::path& path) {
  try {
    if (!fs::exists(path)) return;
    if (!fs::is_directory(path)) cannot_write(path, "it is a file");
    check_contents(path);
  } catch (const fs::filesystem_error& e) {
    cannot_write(path, e.code().message());
  }
}

/// A folder beside the one that is to be written. The destructor removes it, unless it was moved.
class FolderBeside {
 public:
  explicit FolderBeside(const fs::path& folder) {
    std::error_code error;
    if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
    std::string name = folder.string() + ".part-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) cannot_write(folder, std::strerror(errno));
    path_ = name;
    // mkdtemp() permits only the owner to read.
    fs::permissions(path_,
                    fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                        fs::perms::others_read | fs::perms::others_exec,
                    error);
  }
  ~FolderBeside() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  FolderBeside(const FolderBeside&) = delete;
  FolderBeside& operator=(const FolderBeside&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

void write_cases(const conformance::SuiteResult& result, const fs::path& folder) {
  const auto& cases = result.cases;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const CaseResult* const previous = k == 0 ? nullptr : &cases[k - 1];
    const CaseResult* const next = k + 1 == cases.size() ? nullptr : &cases[k + 1];
    write_file(folder / page_of(*cases[k].of), conformance_case_page(result, cases[k], previous, next));
    if (has_capture(cases[k])) write_file(folder / capture_of(*cases[k].of), conformance_capture(cases[k]));
  }
}

/// Puts the new folder in the place of the old one, which goes to `old`.
void replace(const fs::path& fresh, const fs::path& folder, const fs::path& old) {
  std::error_code error;
  if (fs::exists(folder)) {
    fs::rename(folder, old, error);
    if (error) cannot_write(folder, error.message());
  }
  fs::rename(fresh, folder, error);
  if (!error) return;
  std::error_code ignored;
  fs::rename(old, folder, ignored);  // the earlier results stay where they were
  cannot_write(folder, error.message());
}

}  // namespace

std::string page_of(const conformance::Case& c) { return "cases/" + c.id + ".html"; }
std::string capture_of(const conformance::Case& c) { return "cases/" + c.id + ".pcapng"; }

void check_conformance_folder(const std::string& folder) {
  const fs::path path = real_folder(folder);
  check_folder(path);
  const FolderBeside made_and_removed(path);
}

void write_conformance(const conformance::SuiteResult& result, const conformance::Catalogue& catalogue,
                       const std::string& folder, const ConformanceExtras& extras) {
  const fs::path path = real_folder(folder);
  check_folder(path);
  const FolderBeside beside(path);
  const fs::path fresh = beside.path() / "new";
  std::error_code error;
  fs::create_directories(fresh / "cases", error);
  if (error) cannot_write(fresh, error.message());
  write_cases(result, fresh);
  write_file(fresh / "result.json", conformance_text(make_conformance_result(result, extras.strict)));
  write_file(fresh / "junit.xml", conformance_junit(result, catalogue));
  write_file(fresh / "profile.yaml", extras.profile);
  write_file(fresh / "config.yaml", extras.config);
  write_file(fresh / "index.html", conformance_index(result, catalogue, extras.strict));
  replace(fresh, path, beside.path() / "old");
}

}  // namespace softfeb::report
