// SPDX-License-Identifier: BSD-3-Clause
#include "context.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

void Output::result(const std::string& text, const nlohmann::json& json) const {
  if (json_)
    document(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  else
    document(text.empty() || text.back() == '\n' ? text : text + "\n");
}

void Output::document(const std::string& text) const {
  std::fwrite(text.data(), 1, text.size(), to_);
  std::fflush(to_);
}

void Output::note(const std::string& text) const {
  if (!json_) fmt::print(stderr, "febctl: {}\n", text);
}

}  // namespace softfeb::febctl
