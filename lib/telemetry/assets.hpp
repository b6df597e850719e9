// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace softfeb::telemetry {

/// A file of lib/telemetry/page, compiled in.
struct Asset {
  std::string_view path;  ///< as requested: "/page.css"
  std::string_view type;
  std::string_view body;
};

std::span<const Asset> assets();

}  // namespace softfeb::telemetry
