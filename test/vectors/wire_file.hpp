// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::test {

/// An input or output of the firmware's RTL. A file of vectors/wire contains one event per line. The first
/// line of the file is a JSON object with the name of the case, the connection's parameters and the pattern
/// in memory.
struct WireEvent {
  enum class Kind : std::uint8_t { kWorkRequest, kTransmit, kReceive, kCompletion, kControl, kMetaResponse };

  Kind kind;
  std::uint64_t cycle = 0;  ///< number of the clock cycle; a cycle lasts 6.4 ns
  std::size_t line = 0;
  nlohmann::json fields;            ///< set for kWorkRequest and kCompletion
  std::vector<std::uint8_t> bytes;  ///< set for kTransmit and kReceive
  std::string text;                 ///< the unparsed rest of the line
};

struct WireFile {
  std::string name;
  nlohmann::json header;          ///< null if the first line is not JSON
  std::vector<WireEvent> events;  ///< in time order

  /// Returns true if the file contains work requests, which a requester can replay. Files without work
  /// requests contain metadata messages or golden frames.
  bool has_data_path() const;
};

/// Reads a file. If its format is invalid, throws std::runtime_error with file and line.
WireFile read_wire_file(const std::filesystem::path& path);

}  // namespace softfeb::test
