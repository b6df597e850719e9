// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/free_space.hpp"

#include <utility>

#include <sys/statvfs.h>

namespace softfeb::eventfile {

FreeSpace::FreeSpace(std::string path, std::uint64_t keep_free)
    : path_(std::move(path)), keep_free_(keep_free) {}

bool FreeSpace::take(std::uint64_t bytes) {
  if (!known_) measure();
  if (left_ < bytes) return false;
  left_ -= bytes;
  return true;
}

void FreeSpace::measure() {
  struct statvfs disk {};
  left_ = 0;
  known_ = true;
  if (statvfs(path_.c_str(), &disk) != 0) return;
  if (disk.f_blocks == 0) {  // a file system without a limit, such as ramfs
    left_ = UINT64_MAX;
    return;
  }
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  if (free > keep_free_) left_ = free - keep_free_;
}

}  // namespace softfeb::eventfile
