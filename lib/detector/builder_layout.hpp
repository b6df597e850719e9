// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detector/event_layout.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::detector {

/// Largest slot and largest piece that rdma-sink accepts, in bytes.
inline constexpr std::uint32_t kLargestSinkSlot = 16U << 20;

/// The layout of events, and the builder to which it applies. The boards and the builder must agree on all
/// values of this struct.
struct BuilderLayout {
  EventLayout layout;
  std::uint32_t builder = 0;  ///< index of the builder, below layout.builders
};

/// A value of a layout. `name` is the key in the exchange with rdma-sink (doc/rdma-sink.md); the option of
/// rdma-sink is --event-NAME.
struct LayoutValue {
  const char* name;
  std::uint64_t value;
};

/// All values of a layout, always in the same order.
constexpr std::array<LayoutValue, 6> values_of(const BuilderLayout& b) {
  return {{{"boards", b.layout.boards},
           {"slots", b.layout.slots},
           {"slot", b.layout.slot},
           {"piece", b.layout.piece},
           {"builders", b.layout.builders},
           {"builder", b.builder}}};
}

/// A value that is not the same in two layouts.
struct LayoutDifference {
  const char* name;
  std::uint64_t boards;   ///< the value in the boards' layout
  std::uint64_t builder;  ///< the value in the builder's layout
};

/// Returns the values that differ, in the order of values_of(); empty if the layouts are the same.
std::vector<LayoutDifference> compare_layouts(const BuilderLayout& boards, const BuilderLayout& builder);

}  // namespace softfeb::detector
