// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace softfeb::telemetry {

/// A compiled-in file of lib/telemetry/page.
struct Asset {
  std::string_view path;  ///< request path: "/page.css"
  std::string_view type;
  std::string_view body;
};

std::span<const Asset> assets();

}  // namespace softfeb::telemetry
