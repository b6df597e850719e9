// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/links.hpp"

#include "telemetry/json_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace softfeb::telemetry {

namespace {

using srp::RssiClosed;

/// Seconds from `from` to `to`, rounded to milliseconds, the resolution of the link timers.
double seconds_between(Time from, Time to) {
  return to > from ? std::round(to_seconds(to - from) * 1e3) / 1e3 : 0.0;
}

Json error_json(const RssiClosed& c) {
  if (c.last_error == nullptr) return nullptr;
  return {{"what", c.last_error}, {"ago_s", seconds_between(c.last_error_at, c.closed_at)}};
}

}  // namespace

std::string utc(std::int64_t unix_ns) {
  if (unix_ns == 0) return {};
  const std::time_t seconds = unix_ns / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text.data(), unix_ns / 1'000'000 % 1000);
}

Json closed_json(const RssiClosed& c) {
  const std::string at = utc(c.unix_ns);
  return {
      {"at", at.empty() ? Json(nullptr) : Json(at)},
      {"peer", to_text(c.peer)},
      {"way", c.in_band ? "in_band" : "socket"},
      {"reason", reason_of(c)},
      {"code", code_of(c.why)},
      {"up_s", seconds_between(c.opened_at, c.closed_at)},
      {"last_heard", {{"segment", to_string(c.heard)}, {"ago_s", seconds_between(c.heard_at, c.closed_at)}}},
      {"unacknowledged", c.unacknowledged},
      {"retransmitted", c.retransmitted},
      {"invalid_segments", c.errors},
      {"last_invalid", error_json(c)}};
}

Json closed_json(const srp::RssiHistory& history) {
  Json out = Json::array();
  for (const RssiClosed& c : history.kept()) out.push_back(closed_json(c));
  return out;
}

Json reasons_json(const srp::RssiHistory& history) { return reasons_json(history.counts()); }

Json reasons_json(const srp::RssiHistory::Counts& counts) {
  Json out = Json::object();
  for (std::size_t i = 0; i < srp::kRssiCloses; ++i) {
    if (counts[i] != 0) out[code_of(static_cast<srp::RssiClose>(i))] = counts[i];
  }
  return out;
}

namespace {

struct Listed {
  const LinkView* link;
  const RssiClosed* closed;
};

/// The last closed connections of all links, newest first.
std::vector<Listed> newest(const std::vector<LinkView>& links) {
  std::vector<Listed> all;
  for (const LinkView& l : links) {
    for (const RssiClosed& c : l.history->kept()) all.push_back({&l, &c});
  }
  std::stable_sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) {
    return a.closed->closed_at > b.closed->closed_at;
  });
  all.resize(std::min(all.size(), kListed));
  return all;
}

Json place(const RunInfo& info, const LinkView& l) {
  return {{"board", info.boards[l.board].name}, {"link", l.link}};
}

}  // namespace

std::string links_json(const RunInfo& info, const std::vector<LinkView>& links) {
  srp::RssiHistory::Counts counts{};
  Json open = Json::array();
  for (const LinkView& l : links) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += l.history->counts()[i];
    if (!l.open) continue;
    Json one = place(info, l);
    one["peer"] = to_text(l.peer);
    one["way"] = l.in_band ? "in_band" : "socket";
    open.push_back(std::move(one));
  }
  Json closed = Json::array();
  for (const Listed& listed : newest(links)) {
    Json one = place(info, *listed.link);
    one.update(closed_json(*listed.closed));
    closed.push_back(std::move(one));
  }
  const Json json{{"links", links.size()},
                  {"open", std::move(open)},
                  {"closed_by_reason", reasons_json(counts)},
                  {"closed", std::move(closed)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace softfeb::telemetry
