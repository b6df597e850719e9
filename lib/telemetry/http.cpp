// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/http.hpp"

#include <nlohmann/json.hpp>

namespace softfeb::telemetry {

std::string format_event(const std::string& name, const std::string& data) {
  return "event: " + name + "\ndata: " + data + "\n\n";
}

Response problem(unsigned status, const std::string& message, const std::string& fix) {
  const nlohmann::ordered_json body{{"error", message}, {"fix", fix}};
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  return {status, "application/json", body.dump(-1, ' ', false, kReplace) + '\n', {}};
}

}  // namespace softfeb::telemetry
