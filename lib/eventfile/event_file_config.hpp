// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace softfeb::eventfile {

/// A file that cannot be created or written. The message names the file, the reason and the fix.
class EventFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct EventFileConfig {
  std::string path;  ///< must not exist
  std::uint32_t boards = 1;
  std::uint32_t piece = 8192;  ///< detector::EventBuilderConfig::piece
  std::uint16_t channels = 0;  ///< of waveforms; 0: the file has no /waveforms
  std::uint16_t samples = 0;
  std::uint32_t run = 0;
  std::string configuration;           ///< text of the root attribute of this name
  std::size_t queue = 64U << 20;       ///< bytes; what does not fit is not written
  std::size_t held = 512U << 20;       ///< most bytes of events that have not closed
  std::size_t open_events = 1024;      ///< at least the builder's window
  std::uint64_t keep_free = 64 << 20;  ///< bytes of the disk; no event is written if fewer were left
  std::uint32_t flush_ms = 1000;
};

/// Returns why a new file cannot be created at `path`, and the fix; an empty string if it can. Does not
/// create it.
std::string why_not_creatable(const std::string& path);

}  // namespace softfeb::eventfile
