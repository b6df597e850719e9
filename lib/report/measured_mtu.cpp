// SPDX-License-Identifier: BSD-3-Clause
// The longest frame of a measured switch.
#include "report/measured_switch.hpp"

#include <algorithm>

namespace softfeb::report {

namespace {

using switchtest::Figure;
using switchtest::Status;

constexpr std::uint64_t kHeader = 14, kTag = 4;  // Ethernet header, 802.1Q tag

/// The possible lengths of the longest frame that passes: from the longest frame that passed to one byte less
/// than the shortest frame that did not pass. `length` has no value if it was measured with no DSCP. It is
/// an empty range if frames with different DSCPs have different longest lengths.
struct LongestFrame {
  std::optional<WholeRange> length;
  const Figure* figure = nullptr;  ///< figure of one of the DSCPs
};

LongestFrame longest_frame(const FigureIndex& figures, const std::string& tag) {
  LongestFrame out;
  for (const Figure* const f : figures.all("mtu", "frame_bytes")) {
    if (f->status != Status::kMeasured || f->labels.at("tag") != tag) continue;
    const WholeRange length = range_of(*f).meet({0, range_of(*f).high - 1});
    out.length = out.length ? out.length->meet(length) : length;
    out.figure = f;
  }
  return out;
}

}  // namespace

void add_mtu(const FigureIndex& figures, MeasuredSwitch& out) {
  const LongestFrame plain = longest_frame(figures, "no"), tagged = longest_frame(figures, "yes");
  if (!plain.length) {
    const auto all = figures.all("mtu", "frame_bytes");
    const bool bounded = !all.empty() && all.front()->status == Status::kBounded;
    return out.unknown_key("mtu", (bounded ? interval_note("mtu", *all.front()) + "; " : "") +
                                      figures.why_not("mtu", "frame_bytes"));
  }
  if (plain.length->empty())
    return out.unknown_key("mtu", "it is not the same for all classes, as it must be here");
  const auto mtu = [](std::uint64_t frame) { return std::max(frame, kHeader) - kHeader; };
  out.config.mtu =
      static_cast<std::uint32_t>(roundest_decimal({mtu(plain.length->low), mtu(plain.length->high)}));
  out.notes["mtu"] = interval_note("mtu", *plain.figure) + " with the Ethernet header";
  if (!tagged.length || tagged.length->empty()) return;
  out.config.mtu_counts_tag = tagged.length->high < plain.length->low + kTag;
  out.notes["mtu_counts_tag"] = "mtu: tagged frames up to " + std::to_string(tagged.length->low) + " B";
}

}  // namespace softfeb::report
