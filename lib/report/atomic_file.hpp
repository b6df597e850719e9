// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace softfeb::report {

/// A file that has a temporary name (PATH.part) until commit(). Without commit(), the destructor removes the
/// file. A device or a FIFO is written directly instead (dataplane::partial_path()), and never removed.
/// Throws EnvironmentError if the file cannot be written.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t n);
  void write(const std::string& text) { write(text.data(), text.size()); }
  void commit();
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail() const;
  bool direct() const { return part_ == path_; }

  std::string path_;
  std::string part_;
  std::FILE* file_ = nullptr;
};

}  // namespace softfeb::report
