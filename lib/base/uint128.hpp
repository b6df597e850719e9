// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb {

/// 128-bit integer for products that do not fit in 64 bits. Only this line uses the compiler extension.
__extension__ using Uint128 = unsigned __int128;

}  // namespace softfeb
