// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/payload_pools.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::eventfile {

/// The fragments of an event file that are whole.
struct Recording {
  std::uint16_t channels = 0;  ///< of /waveforms; 0: the file has none
  std::uint16_t samples = 0;
  std::vector<std::uint8_t> data;                     ///< of all fragments
  std::vector<detector::RecordedFragment> fragments;  ///< refer to `data`
};

/// Reads an event file (doc/events.md), also one whose writer was killed, or still writes. Trusts nothing in
/// it: fragments that reach beyond /data are refused. `most`: largest number of bytes of data that are
/// accepted. Throws EventFileError, with the file, the reason and the fix.
Recording read_recording(const std::string& path, std::uint64_t most = std::uint64_t{4} << 30);

}  // namespace softfeb::eventfile
