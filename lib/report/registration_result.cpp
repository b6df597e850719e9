// SPDX-License-Identifier: BSD-3-Clause
#include "report/registration_result.hpp"

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

Json table_of(const roce::Registration& table) {
  const roce::RegistrationCounters& c = table.counters();
  const roce::RegistrationConfig& config = table.config();
  Json j{{"packets", c.packets},     {"registered", c.registered}, {"complete", c.complete},
         {"abandoned", c.abandoned}, {"open", table.open()},       {"waiting", table.waiting()},
         {"bytes", c.bytes}};
  for (std::size_t v = 0; v < roce::kRegistrationVerdicts; ++v)
    j[roce::name_of(static_cast<roce::RegistrationVerdict>(v))] = c.verdicts[v];
  j["notifications_lost"] = c.notifications_lost;
  j["entries"] = config.entries;
  j["mask_bits"] = config.mask_bits;
  j["memory_bytes"] = roce::Registration::memory_bytes(config);
  return j;
}

}  // namespace

void add_transfers(Json& json, const endpoints::Endpoints& endpoints, std::size_t index) {
  const auto& senders = endpoints.transfers[index];
  if (senders.empty()) return;
  const engine::Receiver& receiver = *endpoints.receivers[index];
  engine::TimeSum posted;
  for (const auto& [board, times] : senders) {
    posted.count += times->posted.count;
    posted.sum += times->posted.sum;
  }
  const engine::TimeSum& notified = receiver.notified();
  Json j{{"posted", posted.count}, {"notified", notified.count}};
  // Only if every transfer was notified do the sums contain the same transfers.
  const bool all = posted.count != 0 && posted.count == notified.count && notified.sum >= posted.sum;
  const double latency =
      all ? static_cast<double>(notified.sum - posted.sum) / static_cast<double>(posted.count) : 0;
  j["latency_us"] = all ? Json(latency * 1e-6) : Json(nullptr);
  if (receiver.registration() != nullptr) j["registration"] = table_of(*receiver.registration());
  json["transfers"] = std::move(j);
}

}  // namespace softfeb::report
