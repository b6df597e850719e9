// SPDX-License-Identifier: BSD-3-Clause
#include "report/atomic_file.hpp"

#include "dataplane/error.hpp"
#include "dataplane/partial_path.hpp"

#include <cerrno>
#include <cstring>

namespace softfeb::report {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), part_(dataplane::partial_path(path_)) {
  file_ = std::fopen(part_.c_str(), "wb");
  if (file_ == nullptr) fail();
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!direct()) std::remove(part_.c_str());
}

void AtomicFile::write(const void* data, std::size_t n) {
  if (n != 0 && std::fwrite(data, 1, n, file_) != n) fail();
}

void AtomicFile::commit() {
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (closed && (direct() || std::rename(part_.c_str(), path_.c_str()) == 0)) return;
  const int reason = errno;
  if (!direct()) std::remove(part_.c_str());
  errno = reason;
  fail();
}

void AtomicFile::fail() const {
  const bool full = errno == ENOSPC || errno == EDQUOT;
  throw dataplane::EnvironmentError("cannot write " + path_ + ": " + std::strerror(errno),
                                    full ? "free space on that disk" : "name a file in a writable folder");
}

}  // namespace softfeb::report
