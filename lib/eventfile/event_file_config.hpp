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
  std::string path;  ///< path of the file, which must not exist
  std::uint32_t boards = 1;
  std::uint32_t piece = 8192;  ///< size of a piece in bytes, as in detector::EventBuilderConfig::piece
  std::uint16_t channels = 0;  ///< number of channels in /waveforms; 0 means that the file has no /waveforms
  std::uint16_t samples = 0;
  std::uint32_t run = 0;
  std::string configuration;  ///< text of the root attribute `configuration`
  /// Size of the queue in bytes. Events that do not fit are not written; see also `wait`.
  std::size_t queue = 64U << 20;
  std::size_t held = 512U << 20;   ///< maximum number of bytes of events that have not closed
  std::size_t open_events = 1024;  ///< maximum number of open events; must be at least the builder's window
  bool wait = false;               ///< if true, the builder's thread waits for room in the queue
  /// Number of bytes to keep free on the disk. An event is not written if fewer bytes would be left.
  std::uint64_t keep_free = 64 << 20;
  std::uint32_t flush_ms = 1000;
};

/// Returns the reason why a new file cannot be created at `path`, and the fix. Returns an empty string if the
/// file can be created. Does not create the file.
std::string why_not_creatable(const std::string& path);

}  // namespace softfeb::eventfile
