// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_files.hpp"

#include "dataplane/error.hpp"
#include "report/atomic_file.hpp"
#include "report/conformance_pages.hpp"
#include "report/conformance_result.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>

namespace softfeb::report {

namespace {

namespace fs = std::filesystem;
using conformance::CaseResult;
using dataplane::EnvironmentError;

constexpr std::string_view kCases = "cases";
constexpr std::array<std::string_view, 6> kFolderNames = {"index.html",   "result.json", "junit.xml",
                                                          "profile.yaml", "config.yaml", kCases};

[[noreturn]] void cannot_write(const fs::path& path, const std::string& why) {
  throw EnvironmentError("cannot write " + path.string() + ": " + why,
                         "name a folder with --out that can be written");
}

/// Resolves `folder`, which may end in a slash or be a symbolic link, to the path of the folder itself.
fs::path real_folder(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(folder.empty() ? "." : folder, error);
  if (error) cannot_write(folder, error.message());
  if (!path.has_filename()) path = path.parent_path();
  return path;
}

/// True for a page or a capture, the only files that the folder cases/ may contain.
bool is_case_file(const fs::path& path) {
  return path.extension() == ".html" || path.extension() == ".pcapng";
}

[[noreturn]] void foreign(const fs::path& path, const std::string& what) {
  throw EnvironmentError(path.string() + " " + what + ", so it is no result of softfeb conformance",
                         "name another folder with --out");
}

/// Throws unless the folder is empty, or contains a complete result and nothing else: only such a folder may
/// be replaced. A folder with only a config.yaml, for example, belongs to the user.
void check_contents(const fs::path& path) {
  if (fs::is_empty(path)) return;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    const bool known = std::find(kFolderNames.begin(), kFolderNames.end(), name) != kFolderNames.end();
    if (!known || entry.is_directory() != (name == kCases)) foreign(path, "contains " + name);
  }
  for (const std::string_view name : kFolderNames) {
    if (!fs::exists(path / name)) foreign(path, "contains no " + std::string(name));
  }
  for (const auto& one : fs::directory_iterator(path / kCases)) {
    if (!one.is_regular_file() || !is_case_file(one.path()))
      foreign(path, "contains " + (fs::path(kCases) / one.path().filename()).string());
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

/// A temporary folder in the parent folder of the folder to be written. The destructor removes the temporary
/// folder and everything that is still in it.
class FolderBeside {
 public:
  explicit FolderBeside(const fs::path& folder) {
    std::error_code error;
    if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
    std::string name = folder.string() + ".part-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) cannot_write(folder, std::strerror(errno));
    path_ = name;
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

void rename_or_throw(const fs::path& from, const fs::path& to, unsigned flags = 0) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) != 0)
    throw fs::filesystem_error("rename", from, to, std::error_code(errno, std::generic_category()));
}

/// Replaces the folder on a file system that does not support RENAME_EXCHANGE, for example a network file
/// system.
void replace_in_two_steps(const fs::path& fresh, const fs::path& folder, const fs::path& old) {
  rename_or_throw(folder, old);
  try {
    rename_or_throw(fresh, folder);
  } catch (const fs::filesystem_error&) {
    rename_or_throw(old, folder);  // put the earlier results back
    throw;
  }
}

/// Moves the folder `fresh` to the path `folder`, and replaces a folder that exists there. `old` is a path
/// that is not in use. If the file system supports RENAME_EXCHANGE, the exchange is atomic, so that `folder`
/// exists at every moment.
void replace(const fs::path& fresh, const fs::path& folder, const fs::path& old) {
  try {
    rename_or_throw(fresh, folder, fs::exists(folder) ? RENAME_EXCHANGE : 0);
  } catch (const fs::filesystem_error& e) {
    if (e.code().value() != EINVAL || !fs::exists(folder)) throw;
    replace_in_two_steps(fresh, folder, old);
  }
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
  try {
    replace(fresh, path, beside.path() / "old");
  } catch (const fs::filesystem_error& e) {
    cannot_write(path, e.code().message());
  }
}

}  // namespace softfeb::report
