// SPDX-License-Identifier: BSD-3-Clause
#include "report/window_result.hpp"

#include "config/choices.hpp"
#include "stats/window_loss.hpp"

#include <string>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

/// Lists the missing windows of each stream that has missing windows.
Json missing_windows(const roce::WindowMap& map) {
  Json streams = Json::object();
  for (std::uint32_t s = 0; s < map.config().streams; ++s) {
    for (const auto& r : map.missing(s)) streams[std::to_string(s)].push_back({r.first, r.last});
  }
  return streams;
}

std::uint64_t unlisted_windows(const roce::WindowMap& map) {
  std::uint64_t sum = 0;
  for (std::uint32_t s = 0; s < map.config().streams; ++s) sum += map.unlisted(s);
  return sum;
}

}  // namespace

void add_windows(Json& json, const config::RunConfig& config, const endpoints::Plans& plans,
                 const stats::Outcome& o, const endpoints::Endpoints& endpoints, std::size_t index) {
  const engine::Receiver& receiver = *endpoints.receivers[index];
  const auto& settings = config.receivers[index].windows;
  if (!settings || receiver.windows() == nullptr) return;
  const roce::WindowMap& map = *receiver.windows();
  const roce::WindowCounters& c = map.counters();
  const stats::WindowLoss loss = stats::window_loss(plans, o, endpoints, index);
  std::uint64_t no_receive = 0;
  for (std::size_t i = 0; i < receiver.first_slot(); ++i)
    no_receive += receiver.responder_counters(i).no_receive;
  json["windows"] = {{"layout", config::choices::kWindowLayout.name(settings->layout)},
                     {"streams", map.config().streams},
                     {"closed", c.windows()},
                     {"full", c.full},
                     {"gap", c.gap},
                     {"forced", c.forced},
                     {"end", c.end},
                     {"messages", c.messages},
                     {"marked", c.marked},
                     {"duplicate_messages", c.duplicate_messages},
                     {"late", c.late},
                     {"wrong_immediate", c.wrong_immediate},
                     {"inconsistent", c.inconsistent},
                     {"no_receive", no_receive},
                     {"missing", loss.missing},
                     {"not_sent", loss.not_sent},
                     {"loss", loss.share()},
                     {"goodput_bytes", c.goodput_bytes},
                     {"missing_ranges", missing_windows(map)},
                     {"missing_unlisted", unlisted_windows(map)},
                     {"memory_bytes", roce::WindowMap::memory_bytes(map.config())}};
}

}  // namespace softfeb::report
