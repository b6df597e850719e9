// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/sample.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace softfeb::lab {

/// Those who look at a run, each at its own times: one snapshot serves all that are due. The peaks that an
/// observer sees are since its own sample before, whoever else has had one meanwhile.
class Observers {
 public:
  /// The observers outlive this.
  explicit Observers(std::vector<Observer*> observers) {
    for (Observer* const o : observers) seats_.push_back({o, {}});
  }

  bool empty() const { return seats_.empty(); }
  void begin() {
    for (Seat& s : seats_) s.observer->begin();
  }
  /// When the first of them is due, since traffic began; kNever: none wants any more.
  Time due() const {
    Time due = kNever;
    for (const Seat& s : seats_) due = std::min(due, s.observer->due());
    return due;
  }
  /// Gives a sample to all that are due at `sample.at`. `network` is what `sample.network` will point to; its
  /// peaks are written.
  void add(Sample sample, fabric::NetworkSnapshot* network) {
    note_peaks(network);
    for (Seat& s : seats_) {
      if (s.observer->due() <= sample.at) s.observer->add(for_seat(s, sample, network));
    }
  }
  /// The last one, for all of them.
  void end(Sample sample, fabric::NetworkSnapshot* network) {
    note_peaks(network);
    for (Seat& s : seats_) s.observer->end(for_seat(s, sample, network));
  }

 private:
  struct Seat {
    Observer* observer = nullptr;
    std::vector<std::uint64_t> peaks;  ///< of each port, since its last sample
  };

  void note_peaks(const fabric::NetworkSnapshot* network) {
    if (network == nullptr) return;
    for (Seat& s : seats_) {
      s.peaks.resize(network->ports.size());
      for (std::size_t p = 0; p < s.peaks.size(); ++p)
        s.peaks[p] = std::max(s.peaks[p], network->ports[p].queue_bytes_peak);
    }
  }

  static Sample& for_seat(Seat& s, Sample& sample, fabric::NetworkSnapshot* network) {
    sample.network = network;
    if (network == nullptr) return sample;
    for (std::size_t p = 0; p < s.peaks.size(); ++p)
      network->ports[p].queue_bytes_peak = std::exchange(s.peaks[p], 0);
    return sample;
  }

  std::vector<Seat> seats_;
};

}  // namespace softfeb::lab
