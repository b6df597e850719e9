// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::test {

/// A file of vectors/wire: what the firmware's RTL was given and what it did, one event a line.
/// The first line is JSON: the case, the connection's parameters, the pattern in memory.
struct WireEvent {
  enum class Kind : std::uint8_t { kWorkRequest, kTransmit, kReceive, kCompletion, kControl, kMetaResponse };

  Kind kind;
  std::uint64_t cycle = 0;  ///< of 6.4 ns
  std::size_t line = 0;
  nlohmann::json fields;            ///< kWorkRequest, kCompletion
  std::vector<std::uint8_t> bytes;  ///< kTransmit, kReceive
  std::string text;                 ///< the rest of the line
};

struct WireFile {
  std::string name;
  nlohmann::json header;          ///< null when the first line holds none
  std::vector<WireEvent> events;  ///< by time

  /// It tells of work requests: something a requester can replay. (Others hold metadata messages or golden
  /// frames.)
  bool has_data_path() const;
};

/// Throws std::runtime_error with file and line where the file is not as described.
WireFile read_wire_file(const std::filesystem::path& path);

}  // namespace softfeb::test
