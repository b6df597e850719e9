// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/board_rates.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

namespace softfeb::switchtest {

namespace {

constexpr double kShareTolerance = 0.1;

}  // namespace

std::vector<double> frames_in(const BoardSeries& boards, const SeriesRange& range) {
  std::vector<double> out;
  for (const auto& board : boards) {
    const auto part = board.subspan(range.first, range.end - range.first);
    out.push_back(std::accumulate(part.begin(), part.end(), 0.0));
  }
  return out;
}

std::optional<std::size_t> intervals_to_fair(const BoardSeries& boards, const SeriesRange& range,
                                             std::size_t window, double fair) {
  const double due = fair * static_cast<double>(window);
  for (std::size_t i = range.first; i + window <= range.end; ++i) {
    const std::vector<double> frames = frames_in(boards, {i, i + window});
    if (std::all_of(frames.begin(), frames.end(), [&](double n) {
          return n >= due * (1 - kShareTolerance) && n <= due * (1 + kShareTolerance);
        }))
      return i - range.first;
  }
  return std::nullopt;
}

bool even(std::span<const double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const double mean = sum / static_cast<double>(values.size());
  return std::all_of(values.begin(), values.end(),
                     [&](double v) { return std::abs(v - mean) <= kShareTolerance * mean; });
}

CnpFate match_cnps(std::span<const Cnp> sent, std::span<const Cnp> received, Time until) {
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::deque<Time>> departures;
  CnpFate out;
  for (const Cnp& cnp : sent) {
    departures[{cnp.kind, cnp.identification}].push_back(cnp.at);
    if (cnp.at <= until) ++out.sent;
  }
  std::uint64_t matched = 0;
  for (const Cnp& cnp : received) {
    const auto at = departures.find({cnp.kind, cnp.identification});
    if (at == departures.end() || at->second.empty() || at->second.front() >= cnp.at) {
      ++out.unsolicited;
      continue;
    }
    const Time departed = at->second.front();
    at->second.pop_front();
    if (departed > until) continue;
    ++matched;
    out.delays_ns.push_back(static_cast<double>(cnp.at - departed) / kNanosecond);
  }
  out.lost = out.sent - matched;
  return out;
}

std::optional<Time> slows_down(std::span<const Time> departures, Time after) {
  Time usual = 0;
  for (std::size_t i = 1; i < departures.size(); ++i) {
    const Time gap = departures[i] - departures[i - 1];
    if (departures[i - 1] >= after && usual != 0 && gap > usual + usual / 2) return departures[i - 1];
    if (departures[i] < after) usual = std::max(usual, gap);
  }
  return std::nullopt;
}

}  // namespace softfeb::switchtest
