// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"
#include "frame_check.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::febctl {

struct StreamOptions {
  double seconds = 5;
  std::optional<std::uint32_t> frame_size;  ///< words of 64 bits; nothing: as the board has it
};

/// Receives the frames of the board's generator and checks each. Throws Refusal when one is wrong, or none
/// comes.
void stream_command(Context& context, const StreamOptions& options);

}  // namespace softfeb::febctl
