// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"
#include "switchtest/flow_fields.hpp"
#include "switchtest/path_report.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// The test `ecmp` for a switch whose next hops are test ports. Port A sends to an address behind the next
/// hops; the port at which a frame arrives shows the path of the frame.
class NextHops {
 public:
  explicit NextHops(Context& ctx) : ctx_(ctx), hops_(ctx.roles().next_hops) {}
  void run();

 private:
  /// The paths that frames took in one trial.
  struct Seen {
    FlowsByPath by_flow;                  ///< a flow counts for the path of its first frame
    std::vector<std::uint64_t> by_frame;  ///< number of frames on each path
    /// Number of flows of which at least one frame arrived at a next hop.
    std::uint64_t flows = 0;
    std::uint64_t several = 0;  ///< number of flows that took several paths
  };

  Trial make_trial(const std::vector<Flow>& flows);
  std::optional<Seen> send(FlowField field);
  Seen sort(const TrialResult& result, std::size_t flows) const;
  void report(const std::vector<Seen>& seen);

  Context& ctx_;
  const std::vector<std::uint16_t>& hops_;
};

}  // namespace softfeb::switchtest
