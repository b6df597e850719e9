// SPDX-License-Identifier: BSD-3-Clause
#include "out_file.hpp"

#include "hello.hpp"

#include <cerrno>
#include <cstring>

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

}  // namespace softfeb::sink
