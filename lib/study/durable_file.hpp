// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace softfeb::study {

/// Writes `text` to `path` so that the file is complete or absent, even after a crash of the host, and even
/// if processes on several hosts write it at the same time: writes PATH.HOST.PID, flushes it to the disk,
/// renames it, and flushes the folder. `owner` is HOST.PID. Throws EnvironmentError, and then leaves nothing
/// behind.
void write_durably(const std::string& path, const std::string& text, const std::string& owner);

/// Adds a line to the end of a file with a single write. Throws EnvironmentError.
void append_line(const std::string& path, const std::string& line);

/// Contents of a file. Throws EnvironmentError.
std::string read_file(const std::string& path);

}  // namespace softfeb::study
