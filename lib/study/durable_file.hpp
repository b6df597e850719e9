// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace softfeb::study {

/// Writes `text` to `path`. The file is then either complete or absent, even after a crash of the host, and
/// even if processes on several hosts write it at the same time: the function writes PATH.HOST.PID, flushes
/// this file to the disk, renames it, and flushes the folder. `owner` is HOST.PID. Throws EnvironmentError,
/// and leaves no temporary file in that case.
void write_durably(const std::string& path, const std::string& text, const std::string& owner);

/// Appends a line to a file with a single write. Throws EnvironmentError.
void append_line(const std::string& path, const std::string& line);

/// Reads a whole file. Throws EnvironmentError.
std::string read_file(const std::string& path);

}  // namespace softfeb::study
