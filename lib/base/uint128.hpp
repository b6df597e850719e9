// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace softfeb {

/// 128-bit integer for products that do not fit 64 bits. The only place that names this compiler extension.
__extension__ using Uint128 = unsigned __int128;

}  // namespace softfeb
