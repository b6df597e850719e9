// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb {

/// 128-bit products without overflow: a compiler extension, named in this one place.
__extension__ using Uint128 = unsigned __int128;

}  // namespace softfeb
