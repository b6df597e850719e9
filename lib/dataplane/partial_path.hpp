// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace softfeb::dataplane {

/// Name under which to write a file that is renamed to `path` when it is complete: PATH.part. If `path` is a
/// device, a FIFO or the like, this is `path` itself, because renaming would replace /dev/null by a file.
inline std::string partial_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return std::filesystem::is_other(status) ? path : path + ".part";
}

}  // namespace softfeb::dataplane
