// SPDX-License-Identifier: BSD-3-Clause
#include "report/result_qps.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::report {

std::vector<std::size_t> listed_qps(const std::vector<Attention>& qps, std::optional<std::uint32_t> limit) {
  std::vector<std::size_t> list;
  if (!limit || qps.size() <= *limit) {
    list.resize(qps.size());
    std::iota(list.begin(), list.end(), std::size_t{0});
    return list;
  }
  for (const Attention of : {Attention::kFailed, Attention::kTrouble}) {
    for (std::size_t i = 0; i < qps.size() && list.size() < *limit; ++i) {
      if (qps[i] == of) list.push_back(i);
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

nlohmann::ordered_json qp_numbers(const std::vector<Attention>& qps, std::size_t listed) {
  return {{"qps", qps.size()},
          {"qps_listed", listed},
          {"qps_failed", std::count(qps.begin(), qps.end(), Attention::kFailed)},
          {"qps_in_trouble", std::count(qps.begin(), qps.end(), Attention::kTrouble)}};
}

nlohmann::ordered_json spread(std::vector<double> values) {
  if (values.empty()) return nullptr;
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {{"qps", values.size()},
          {"min", values.front()},
          {"p50", values[(values.size() - 1) / 2]},
          {"mean", sum / static_cast<double>(values.size())},
          {"max", values.back()}};
}

}  // namespace softfeb::report
