// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rte_flow.h>

namespace softfeb::test {

/// The flow rules of a NIC. A test program that is linked with `-Wl,--wrap` for rte_flow_validate(),
/// rte_flow_create() and rte_flow_destroy() passes the rules of all its ports to the model that was
/// constructed last. The model has the restrictions of DPDK's driver mlx5: UDP items need an IP item, and BTH
/// items need a group other than 0.
class FlowTableModel {
 public:
  static constexpr std::uint16_t kDropped = 0xffff;

  FlowTableModel();
  ~FlowTableModel();
  FlowTableModel(const FlowTableModel&) = delete;
  FlowTableModel& operator=(const FlowTableModel&) = delete;

  /// Capabilities of the NIC, which a test may change.
  bool accepts_rules = true;
  bool accepts_bth = true;
  std::size_t capacity = 1'000;  ///< rules beyond this number are refused by create(), but not by validate()

  /// After each insertion and each removal of a rule, the model checks which of these frames it would now
  /// drop, and adds their number to `dropped`.
  std::vector<std::vector<std::uint8_t>> probes;
  std::size_t dropped = 0;

  std::size_t rules() const { return rules_.size(); }
  /// Returns the queue to which the rules steer a frame, or nullopt if no rule of the root table matches.
  /// Returns kDropped if a rule jumps to a group in which no rule matches.
  std::optional<std::uint16_t> queue_of(ByteSpan frame) const;

  /// Returns why a rule is refused, or an empty text.
  std::string problem(const rte_flow_attr& attributes, const rte_flow_item* items) const;
  /// Adds a rule. Returns null if the table is full.
  rte_flow* create(const rte_flow_attr& attributes, const rte_flow_item* items,
                   const rte_flow_action* actions);
  void destroy(rte_flow* flow);
  static FlowTableModel& active();

 private:
  struct Item {
    rte_flow_item_type type;
    /// Expected bytes of the header on the wire, and mask of the compared bits. If both are empty, the item
    /// matches every header.
    std::vector<std::uint8_t> spec, mask;
  };
  struct Rule {
    std::uint32_t group, priority;
    std::vector<Item> items;
    std::optional<std::uint16_t> queue;
    std::uint32_t jump = 0;
  };

  static bool matches(const Rule& rule, ByteSpan frame);
  const Rule* find(std::uint32_t group, ByteSpan frame) const;
  void probe();

  std::vector<std::unique_ptr<Rule>> rules_;
};

}  // namespace softfeb::test
