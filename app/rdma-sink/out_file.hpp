// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>
#include <string>

namespace softfeb::sink {

/// The file given by --out. After an error, keeps this error and ignores further writes.
class OutFile {
 public:
  /// Creates or truncates `path`. With an empty path, nothing is written.
  explicit OutFile(const std::string& path);
  ~OutFile();
  OutFile(const OutFile&) = delete;
  OutFile& operator=(const OutFile&) = delete;

  bool wanted() const { return fd_ >= 0; }
  void write(std::uint64_t offset, ByteSpan bytes);
  const std::string& error() const { return error_; }

 private:
  std::string path_;
  int fd_ = -1;
  std::string error_;
};

/// Checks whether `path` can be written, without creating it. Returns the reason and the fix if not,
/// otherwise an empty string.
std::string why_not_writable(const std::string& path);

}  // namespace softfeb::sink
