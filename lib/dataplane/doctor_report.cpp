// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/doctor.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace softfeb::dataplane {
namespace {

const char* word(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarn:
      return "warn";
    case Health::kBad:
      return "bad";
  }
  return "?";
}

}  // namespace

Health worst(const std::vector<Check>& checks) {
  Health out = Health::kOk;
  for (const Check& c : checks) out = std::max(out, c.health);
  return out;
}

std::string doctor_text(const std::vector<Check>& checks) {
  std::size_t width = 0;
  for (const Check& c : checks) width = std::max(width, c.name.size());
  std::string out;
  for (const Check& c : checks) {
    const std::string health = word(c.health);
    out += health + std::string(6 - health.size(), ' ') + c.name +
           std::string(width + 2 - c.name.size(), ' ') + c.found + '\n';
    if (!c.fix.empty()) out += std::string(width + 8, ' ') + "fix: " + c.fix + '\n';
  }
  return out;
}

std::string doctor_json(const std::vector<Check>& checks) {
  nlohmann::ordered_json out;
  out["verdict"] = word(worst(checks));
  out["checks"] = nlohmann::ordered_json::array();
  for (const Check& c : checks) {
    out["checks"].push_back(
        {{"name", c.name}, {"health", word(c.health)}, {"found", c.found}, {"fix", c.fix}});
  }
  // Texts from devices and drivers are not always valid UTF-8, which JSON requires, so replace invalid bytes.
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace softfeb::dataplane
