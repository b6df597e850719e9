// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/payload_pools.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::eventfile {

/// The complete fragments of an event file.
struct Recording {
  std::uint16_t channels = 0;  ///< number of channels in /waveforms; 0 means that the file has no /waveforms
  std::uint16_t samples = 0;
  std::vector<std::uint8_t> data;                     ///< data of all fragments
  std::vector<detector::RecordedFragment> fragments;  ///< their payloads refer to `data`
};

/// Reads an event file (doc/events.md), even if its writer was killed or is still writing. Does not trust the
/// contents: refuses a file with a fragment that reaches beyond /data. Refuses a file with more than `most`
/// bytes of data. Throws EventFileError, whose message names the file, the reason and the fix.
Recording read_recording(const std::string& path, std::uint64_t most = std::uint64_t{4} << 30);

}  // namespace softfeb::eventfile
