// SPDX-License-Identifier: BSD-3-Clause
#include "writable.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

namespace softfeb::sink {

std::string why_not_writable(const std::string& path) {
  if (path.empty()) return "is empty; fix: name a file";
  const std::filesystem::path file(path);
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return path + " is a directory; fix: name a file in it";
  const std::filesystem::path folder = file.parent_path() / ".";  // one that is no folder has no such entry
  const bool there = std::filesystem::exists(file, error);
  if (access(there ? file.c_str() : folder.c_str(), W_OK) == 0) return "";
  return path + " cannot be written: " + std::strerror(errno) +
         "; fix: name a file in a folder that you may write to";
}

}  // namespace softfeb::sink
