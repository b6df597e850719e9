// SPDX-License-Identifier: BSD-3-Clause
#include "config/draft.hpp"

#include <algorithm>

namespace softfeb::config {
namespace {

void complete(Reading& reading, CongestionConfig& d, const congestion::PathFacts& path) {
  if (d.algorithm != CongestionConfig::Algorithm::kOther) return;
  d.other.path = path;
  d.other.values = d.other.algorithm->defaults(path);
  set_given(reading, d);
}

congestion::PathFacts path_of(const BoardConfig& board, std::uint32_t pmtu) {
  congestion::PathFacts path;
  if (board.link_rate && *board.link_rate != 0) path.line_rate = *board.link_rate;
  path.pmtu = pmtu;
  return path;
}

}  // namespace

void complete_congestion(Reading& reading, RunConfig& config) {
  for (BoardConfig& board : config.boards) {
    std::uint32_t largest_pmtu = 0;  // of the QPs that use the board's section
    for (QpConfig& qp : board.qps) {
      if (qp.congestion) {
        complete(reading, *qp.congestion, path_of(board, qp.pmtu));
      } else {
        largest_pmtu = std::max(largest_pmtu, qp.pmtu);
      }
    }
    complete(reading, board.congestion, path_of(board, largest_pmtu == 0 ? 4096 : largest_pmtu));
  }
}

}  // namespace softfeb::config
