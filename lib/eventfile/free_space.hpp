// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace softfeb::eventfile {

/// Stops writing before the disk is full, because libhdf5 cannot close a file on a full disk.
class FreeSpace {
 public:
  /// `keep_free`: bytes of the disk that stay free.
  FreeSpace(std::string path, std::uint64_t keep_free);

  /// True if `bytes` may be written; then they count as written.
  bool take(std::uint64_t bytes);
  /// Asks the system again at the next take().
  void refresh() { known_ = false; }

 private:
  void measure();

  std::string path_;
  std::uint64_t keep_free_;
  std::uint64_t left_ = 0;
  bool known_ = false;
};

}  // namespace softfeb::eventfile
