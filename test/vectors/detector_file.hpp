// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Reads the files of vectors/detector, which contain golden traces of reference models. Each file is a JSON
/// object with `kind`, `name`, and further members that depend on `kind`.
namespace softfeb::test {

struct DetectorFile {
  std::string name;  ///< name of the file
  nlohmann::json document;
};

/// Reads all files of kind `kind`, sorted by path. Throws std::exception if a file is not JSON or has no
/// kind.
std::vector<DetectorFile> detector_files(std::string_view kind);

/// Describes the first member of `should` that has a different value in `is`. Returns an empty text if no
/// member differs. Ignores members that exist only in `is`.
std::string first_difference(const nlohmann::json& is, const nlohmann::json& should);

/// Returns a bitmap in the format of the traces, such as "0x3". Word 0 holds the first 64 bits.
std::string hex_bitmap(std::span<const std::uint64_t> words);

}  // namespace softfeb::test
