// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/worker.hpp"
#include "engine/snapshot.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::app {

/// One line a second: on a terminal it is written over, elsewhere they follow each other, with --quiet there
/// is none.
class Progress {
 public:
  explicit Progress(bool quiet);

  void line(double seconds, const dataplane::Worker::Totals& totals,
            const std::vector<engine::EndpointSnapshot>& endpoints);
  /// Something that people wait for, on a line of its own.
  void note(const std::string& text);
  /// Leaves the terminal's line.
  void end();

 private:
  bool quiet_;
  bool terminal_;
  bool open_ = false;
  double last_seconds_ = 0;
  std::uint64_t last_packets_ = 0;
  std::uint64_t last_payload_ = 0;
};

}  // namespace softfeb::app
