// SPDX-License-Identifier: BSD-3-Clause
#include "out_file.hpp"

#include "hello.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace softfeb::sink {

OutFile::OutFile(const std::string& path) : path_(path) {
  if (path.empty()) return;
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) throw Refusal("--out " + path + ": " + std::strerror(errno));
}

OutFile::~OutFile() {
  if (fd_ >= 0) close(fd_);
}

void OutFile::write(std::uint64_t offset, ByteSpan bytes) {
  while (!bytes.empty() && error_.empty()) {
    const ssize_t n = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error_ = "--out " + path_ + ": " + std::strerror(errno);
      return;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

std::string why_not_writable(const std::string& path) {
  if (path.empty()) return "is empty; fix: name a file";
  const std::filesystem::path file(path);
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return path + " is a directory; fix: name a file in it";
  const std::filesystem::path folder = file.parent_path() / ".";  // exists only if the parent is a folder
  const bool there = std::filesystem::exists(file, error);
  if (access(there ? file.c_str() : folder.c_str(), W_OK) == 0) return "";
  return path + " cannot be written: " + std::strerror(errno) + "; fix: name a file in a writable folder";
}

}  // namespace softfeb::sink
