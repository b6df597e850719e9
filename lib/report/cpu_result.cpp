// SPDX-License-Identifier: BSD-3-Clause
#include "report/cpu_result.hpp"

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

Json quantiles(const ShareHistogram& shares) {
  return {{"min", shares.quantile(0)},
          {"p10", shares.quantile(0.1)},
          {"p50", shares.quantile(0.5)},
          {"p90", shares.quantile(0.9)},
          {"max", shares.quantile(1)}};
}

}  // namespace

Json cpu_result(const dataplane::CpuShares& shares) {
  if (shares.busy.count() == 0) return nullptr;
  const auto stage = [&](engine::Stage s) { return quantiles(shares.stages[static_cast<std::size_t>(s)]); };
  return {{"interval_ms", to_seconds(dataplane::kCpuInterval) * 1e3},
          {"samples", shares.busy.count()},
          {"busy", quantiles(shares.busy)},
          {"rx", stage(engine::Stage::kRx)},
          {"place", stage(engine::Stage::kPlace)},
          {"check", stage(engine::Stage::kCheck)},
          {"build", stage(engine::Stage::kBuild)},
          {"tx", stage(engine::Stage::kTx)},
          {"other", stage(engine::Stage::kOther)},
          {"idle", quantiles(shares.idle)}};
}

}  // namespace softfeb::report
