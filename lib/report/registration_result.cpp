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

/// Sums of the times at which all transfers to a receiver were posted, and of the times of their
/// notifications.
struct TransferTimes {
  engine::TimeSum posted, notified;

  TransferTimes(const endpoints::Endpoints& endpoints, std::size_t receiver)
      : notified(endpoints.receivers[receiver]->notified()) {
    for (const auto& [board, times] : endpoints.transfers.times[receiver]) {
      posted.count += times->posted.count;
      posted.sum += times->posted.sum;
    }
  }
  /// True if there was a notification for every transfer. Only then do both sums cover the same transfers.
  bool complete() const {
    return posted.count != 0 && posted.count == notified.count && notified.sum >= posted.sum;
  }
  /// Sum of the times from posting to notification, in microseconds. Requires complete().
  double sum_us() const { return static_cast<double>(notified.sum - posted.sum) * 1e-6; }
};

}  // namespace

std::optional<double> transfer_latency_us(const endpoints::Endpoints& endpoints) {
  double sum_us = 0;
  std::uint64_t transfers = 0;
  for (std::size_t r = 0; r < endpoints.receivers.size(); ++r) {
    if (endpoints.transfers.times[r].empty()) continue;
    const TransferTimes times(endpoints, r);
    if (!times.complete()) return std::nullopt;
    sum_us += times.sum_us();
    transfers += times.posted.count;
  }
  if (transfers == 0) return std::nullopt;
  return sum_us / static_cast<double>(transfers);
}

void add_ordering(Json& json, const endpoints::Endpoints& endpoints, std::size_t index) {
  const roce::UnorderedWrites* const unordered = endpoints.receivers[index]->unordered();
  if (unordered != nullptr) json["ordering"] = table_of(unordered->table());
}

void add_transfers(Json& json, const endpoints::Endpoints& endpoints, std::size_t index) {
  if (endpoints.transfers.times[index].empty()) return;
  const engine::Receiver& receiver = *endpoints.receivers[index];
  const TransferTimes times(endpoints, index);
  Json j{{"posted", times.posted.count}, {"notified", times.notified.count}};
  j["latency_us"] =
      times.complete() ? Json(times.sum_us() / static_cast<double>(times.posted.count)) : Json(nullptr);
  if (receiver.registration() != nullptr) j["registration"] = table_of(*receiver.registration());
  json["transfers"] = std::move(j);
}

}  // namespace softfeb::report
