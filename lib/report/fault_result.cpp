// SPDX-License-Identifier: BSD-3-Clause
#include "report/fault_result.hpp"

#include <string>

namespace softfeb::report {

nlohmann::ordered_json fault_rules(const std::vector<lab::RuleResult>& rules) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const lab::RuleResult& r : rules) {
    const config::Where& where = r.rule->where;
    list.push_back({{"place", where.file + ':' + std::to_string(where.line)},
                    {"key", where.key},
                    {"hits", r.counters.hits},
                    {"refused", r.counters.refused}});
  }
  return list;
}

}  // namespace softfeb::report
