// SPDX-License-Identifier: BSD-3-Clause
#include "cost.hpp"

#include <algorithm>

namespace softfeb::bench {

Time Costs::time_of(const Piece& piece) {
  const Time begin = thread_time();
  piece.work(piece.times);
  return thread_time() - begin;
}

void Costs::measure(unsigned runs, Time duration) {
  for (Piece& piece : pieces_) {
    while (time_of(piece) < duration / 4) piece.times *= 2;
  }
  for (unsigned run = 0; run < runs; ++run) {
    for (Piece& piece : pieces_) {
      piece.ns.push_back(to_seconds(time_of(piece)) * 1e9 / static_cast<double>(piece.times));
    }
  }
}

Json Costs::json(const std::function<double(double)>& figure) const {
  Json out = Json::object();
  for (const Piece& piece : pieces_) {
    std::vector<Json> runs;
    for (const double ns : piece.ns) runs.push_back(figure(ns));
    out[piece.name] = summary(runs);
  }
  return out;
}

}  // namespace softfeb::bench
