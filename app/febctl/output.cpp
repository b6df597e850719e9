// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace softfeb::febctl {

void Output::result(const std::string& text, const nlohmann::json& json) const {
  if (json_)
    fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    fmt::print("{}{}", text, text.empty() || text.back() == '\n' ? "" : "\n");
  std::fflush(stdout);
}

void Output::note(const std::string& text) const {
  if (!json_) fmt::print(stderr, "febctl: {}\n", text);
}

}  // namespace softfeb::febctl
