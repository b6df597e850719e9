// SPDX-License-Identifier: BSD-3-Clause
#include "flow_table_model.hpp"

#include "dataplane/dpdk_versions.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include <rte_errno.h>

namespace softfeb::test {

namespace {

FlowTableModel* current = nullptr;

bool is_ip(rte_flow_item_type type) {
  return type == RTE_FLOW_ITEM_TYPE_IPV4 || type == RTE_FLOW_ITEM_TYPE_IPV6;
}

bool is_bth(rte_flow_item_type type) {
#if SOFTFEB_HAS_IB_BTH
  return type == RTE_FLOW_ITEM_TYPE_IB_BTH;
#else
  return type == RTE_FLOW_ITEM_TYPE_END;
#endif
}

/// Length in bytes of the header that an item matches.
std::size_t length_of(rte_flow_item_type type) {
  switch (type) {
    case RTE_FLOW_ITEM_TYPE_ETH:
      return 14;
    case RTE_FLOW_ITEM_TYPE_VLAN:
      return 4;
    case RTE_FLOW_ITEM_TYPE_IPV4:
      return 20;
    case RTE_FLOW_ITEM_TYPE_IPV6:
      return 40;
    case RTE_FLOW_ITEM_TYPE_UDP:
      return 8;
    default:
      if (is_bth(type)) return 12;
      throw std::invalid_argument("the model does not know this item");
  }
}

}  // namespace

FlowTableModel::FlowTableModel() { current = this; }
FlowTableModel::~FlowTableModel() { current = nullptr; }
FlowTableModel& FlowTableModel::active() {
  if (current == nullptr) throw std::logic_error("no FlowTableModel");
  return *current;
}

std::string FlowTableModel::problem(const rte_flow_attr& attributes, const rte_flow_item* items) const {
  if (!accepts_rules) return "no rules here";
  if (attributes.ingress == 0) return "not an ingress rule";
  bool ip = false;
  for (; items->type != RTE_FLOW_ITEM_TYPE_END; ++items) {
    ip = ip || is_ip(items->type);
    if (items->type == RTE_FLOW_ITEM_TYPE_UDP && !ip) return "L3 is mandatory to filter on L4";
    if (is_bth(items->type) && (!accepts_bth || attributes.group == 0)) return "IB BTH item is not supported";
  }
  return "";
}

rte_flow* FlowTableModel::create(const rte_flow_attr& attributes, const rte_flow_item* items,
                                 const rte_flow_action* actions) {
  if (rules_.size() >= capacity) return nullptr;
  auto& rule =
      *rules_.emplace_back(std::make_unique<Rule>(Rule{attributes.group, attributes.priority, {}, {}, 0}));
  for (; items->type != RTE_FLOW_ITEM_TYPE_END; ++items) {
    Item& item = rule.items.emplace_back(Item{items->type, {}, {}});
    if (items->spec == nullptr) continue;
    const std::size_t n = length_of(items->type);
    const auto* const spec = static_cast<const std::uint8_t*>(items->spec);
    const auto* const mask = static_cast<const std::uint8_t*>(items->mask);
    item.spec.assign(spec, spec + n);
    item.mask.assign(mask, mask + n);
  }
  for (; actions->type != RTE_FLOW_ACTION_TYPE_END; ++actions) {
    if (actions->type == RTE_FLOW_ACTION_TYPE_QUEUE)
      rule.queue = static_cast<const rte_flow_action_queue*>(actions->conf)->index;
    if (actions->type == RTE_FLOW_ACTION_TYPE_JUMP)
      rule.jump = static_cast<const rte_flow_action_jump*>(actions->conf)->group;
  }
  probe();
  return reinterpret_cast<rte_flow*>(&rule);
}

void FlowTableModel::destroy(rte_flow* flow) {
  const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const auto& rule) {
    return reinterpret_cast<rte_flow*>(rule.get()) == flow;
  });
  if (found == rules_.end()) throw std::logic_error("a flow that does not exist was destroyed");
  rules_.erase(found);
  probe();
}

void FlowTableModel::probe() {
  for (const auto& frame : probes) dropped += queue_of(frame) == kDropped;
}

/// Compares the items with the headers of the frame. As with mlx5, a pattern without a VLAN item also matches
/// tagged frames.
bool FlowTableModel::matches(const Rule& rule, ByteSpan frame) {
  std::size_t at = 0;
  std::uint16_t type = 0;     // EtherType of the header at `at`
  std::uint8_t protocol = 0;  // after an IP header: protocol number of the header at `at`
  for (const Item& item : rule.items) {
    if (is_ip(item.type) && type == 0x8100) {
      type = load_be16(&frame[at + 2]);
      at += 4;
    }
    if (item.type == RTE_FLOW_ITEM_TYPE_VLAN && type != 0x8100) return false;
    if (item.type == RTE_FLOW_ITEM_TYPE_IPV4 && type != 0x0800) return false;
    if (item.type == RTE_FLOW_ITEM_TYPE_IPV6 && type != 0x86dd) return false;
    if (item.type == RTE_FLOW_ITEM_TYPE_UDP && protocol != 17) return false;
    const std::size_t n = length_of(item.type);
    for (std::size_t i = 0; i < item.spec.size(); ++i)
      if (((frame[at + i] ^ item.spec[i]) & item.mask[i]) != 0) return false;
    if (item.type == RTE_FLOW_ITEM_TYPE_ETH) type = load_be16(&frame[at + 12]);
    if (item.type == RTE_FLOW_ITEM_TYPE_VLAN) type = load_be16(&frame[at + 2]);
    if (is_ip(item.type)) protocol = frame[at + (item.type == RTE_FLOW_ITEM_TYPE_IPV4 ? 9 : 6)];
    at += n;
  }
  return true;
}

/// Returns the matching rule with the highest priority (the smallest priority number).
const FlowTableModel::Rule* FlowTableModel::find(std::uint32_t group, ByteSpan frame) const {
  const Rule* best = nullptr;
  for (const auto& rule : rules_)
    if (rule->group == group && matches(*rule, frame) && (best == nullptr || rule->priority < best->priority))
      best = rule.get();
  return best;
}

std::optional<std::uint16_t> FlowTableModel::queue_of(ByteSpan frame) const {
  const Rule* rule = find(0, frame);
  if (rule == nullptr || rule->queue) return rule == nullptr ? std::nullopt : rule->queue;
  rule = find(rule->jump, frame);
  return rule == nullptr ? kDropped : rule->queue;
}

}  // namespace softfeb::test

// The linker replaces calls of rte_flow_…() by calls of these functions.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

int __wrap_rte_flow_validate(std::uint16_t, const rte_flow_attr* attributes, const rte_flow_item* items,
                             const rte_flow_action*, rte_flow_error* error) {
  static std::string text;
  text = softfeb::test::FlowTableModel::active().problem(*attributes, items);
  if (text.empty()) return 0;
  return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, nullptr, text.c_str());
}

rte_flow* __wrap_rte_flow_create(std::uint16_t port, const rte_flow_attr* attributes,
                                 const rte_flow_item* items, const rte_flow_action* actions,
                                 rte_flow_error* error) {
  if (__wrap_rte_flow_validate(port, attributes, items, actions, error) != 0) return nullptr;
  rte_flow* const flow = softfeb::test::FlowTableModel::active().create(*attributes, items, actions);
  if (flow == nullptr)
    rte_flow_error_set(error, ENOSPC, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr, "the table is full");
  return flow;
}

int __wrap_rte_flow_destroy(std::uint16_t, rte_flow* flow, rte_flow_error*) {
  softfeb::test::FlowTableModel::active().destroy(flow);
  return 0;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
