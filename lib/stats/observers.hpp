// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace softfeb::stats {

/// The observers of a run, each with its own sampling times. If several observers are due, they share one
/// snapshot. Each observer gets the peaks since its own last sample, regardless of the others.
class Observers {
 public:
  /// The observers must outlive this object.
  explicit Observers(std::vector<Observer*> observers) {
    for (Observer* const o : observers) entries_.push_back({o, {}});
  }

  bool empty() const { return entries_.empty(); }
  void begin() {
    for (Entry& e : entries_) e.observer->begin();
  }
  /// Time from the start of traffic to the next sample that an observer needs; kNever if none needs any.
  Time due() const {
    Time due = kNever;
    for (const Entry& e : entries_) due = std::min(due, e.observer->due());
    return due;
  }
  /// Passes a sample to all observers that are due at `sample.at`. For each observer, `sample.network` is set
  /// to `network`, and the peaks in `network` are overwritten with those since the observer's last sample.
  void add(Sample sample, fabric::NetworkSnapshot* network) {
    note_peaks(network);
    for (Entry& e : entries_) {
      if (e.observer->due() <= sample.at) e.observer->add(sample_for(e, sample, network));
    }
  }
  /// Passes the last sample to all observers.
  void end(Sample sample, fabric::NetworkSnapshot* network) {
    note_peaks(network);
    for (Entry& e : entries_) e.observer->end(sample_for(e, sample, network));
  }

 private:
  struct Entry {
    Observer* observer = nullptr;
    std::vector<std::uint64_t> peaks;  ///< peak of each port since the observer's last sample
  };

  void note_peaks(const fabric::NetworkSnapshot* network) {
    if (network == nullptr) return;
    for (Entry& e : entries_) {
      e.peaks.resize(network->ports.size());
      for (std::size_t p = 0; p < e.peaks.size(); ++p)
        e.peaks[p] = std::max(e.peaks[p], network->ports[p].queue_bytes_peak);
    }
  }

  static Sample& sample_for(Entry& e, Sample& sample, fabric::NetworkSnapshot* network) {
    sample.network = network;
    if (network == nullptr) return sample;
    for (std::size_t p = 0; p < e.peaks.size(); ++p)
      network->ports[p].queue_bytes_peak = std::exchange(e.peaks[p], 0);
    return sample;
  }

  std::vector<Entry> entries_;
};

}  // namespace softfeb::stats
