// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace softfeb::eventfile {

/// Tracks the free space of the file system that contains a file. The writer can thus stop before the disk is
/// full, because libhdf5 cannot close a file on a full disk.
class FreeSpace {
 public:
  /// `keep_free` is the number of bytes to keep free on the disk.
  FreeSpace(std::string path, std::uint64_t keep_free);

  /// Returns true if `bytes` may be written, and then counts them as written.
  bool take(std::uint64_t bytes);
  /// Makes the next take() query the free space of the file system again.
  void refresh() { known_ = false; }

 private:
  void measure();

  std::string path_;
  std::uint64_t keep_free_;
  std::uint64_t left_ = 0;
  bool known_ = false;
};

}  // namespace softfeb::eventfile
