// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace softfeb::dataplane {

/// Returns the name PATH.part, under which a file is written before it is renamed to `path`. If `path` is a
/// special file, such as a device or a FIFO, returns `path` itself, because renaming would replace, for
/// example, /dev/null by a regular file.
inline std::string partial_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return std::filesystem::is_other(status) ? path : path + ".part";
}

}  // namespace softfeb::dataplane
