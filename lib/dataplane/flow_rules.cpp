// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/flow_rules.hpp"

#include "dataplane/dpdk_versions.hpp"
#include "dataplane/log_collector.hpp"
#include "roce/headers.hpp"

#include <algorithm>
#include <array>

#include <rte_errno.h>
#include <rte_flow.h>
#include <rte_version.h>

namespace softfeb::dataplane {
namespace {

// Drivers with BTH items (mlx5) reject these items in the root table. Rules with BTH items are therefore in
// group 1, to which a rule in the root table jumps.
constexpr std::uint32_t kBthGroup = 1;

/// Pattern and actions of a rule, with the memory they refer to.
class Pattern {
 public:
  explicit Pattern(const SteeringRule& rule) {
    attributes.ingress = 1;
    attributes.group = rule.qpn ? kBthGroup : 0;
    add(RTE_FLOW_ITEM_TYPE_ETH, nullptr, nullptr);
    if (rule.vlan) {
      // rte_flow_item_vlan starts with the TCI in every DPDK version.
      store_be16(reinterpret_cast<std::uint8_t*>(&vlan_), rule.vlan->id);
      store_be16(reinterpret_cast<std::uint8_t*>(&vlan_mask_), 0x0fff);
      add(RTE_FLOW_ITEM_TYPE_VLAN, &vlan_, &vlan_mask_);
    }
    add_ip(rule.ip);
    udp_.hdr.dst_port = rte_cpu_to_be_16(roce::kRoceUdpPort);
    udp_mask_.hdr.dst_port = 0xffff;
    add(RTE_FLOW_ITEM_TYPE_UDP, &udp_, &udp_mask_);
#if SOFTFEB_HAS_IB_BTH
    if (rule.qpn) {
      store_be24(bth_.hdr.dst_qp, *rule.qpn);
      std::fill_n(bth_mask_.hdr.dst_qp, 3, std::uint8_t{0xff});
      add(RTE_FLOW_ITEM_TYPE_IB_BTH, &bth_, &bth_mask_);
    }
#endif
    add(RTE_FLOW_ITEM_TYPE_END, nullptr, nullptr);
    queue_.index = rule.queue;
    actions[0] = {RTE_FLOW_ACTION_TYPE_QUEUE, &queue_};
    actions[1] = {RTE_FLOW_ACTION_TYPE_END, nullptr};
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  rte_flow_attr attributes{};
  std::array<rte_flow_item, 6> items{};
  std::array<rte_flow_action, 2> actions{};

 private:
  void add(rte_flow_item_type type, const void* spec, const void* mask) {
    items[count_++] = {type, spec, nullptr, mask};
  }

  void add_ip(const roce::IpAddress& ip) {
    if (ip.is_v4()) {
      v4_.hdr.dst_addr = rte_cpu_to_be_32(ip.v4());
      v4_mask_.hdr.dst_addr = 0xffffffff;
      add(RTE_FLOW_ITEM_TYPE_IPV4, &v4_, &v4_mask_);
      return;
    }
    // Depending on the DPDK version, dst_addr is an array or a structure that contains one. Both have 16
    // bytes.
    static_assert(sizeof v6_.hdr.dst_addr == 16);
    std::copy(ip.bytes.begin(), ip.bytes.end(), reinterpret_cast<std::uint8_t*>(&v6_.hdr.dst_addr));
    std::fill_n(reinterpret_cast<std::uint8_t*>(&v6_mask_.hdr.dst_addr), 16, std::uint8_t{0xff});
    add(RTE_FLOW_ITEM_TYPE_IPV6, &v6_, &v6_mask_);
  }

  std::size_t count_ = 0;
  rte_flow_item_vlan vlan_{}, vlan_mask_{};
  rte_flow_item_ipv4 v4_{}, v4_mask_{};
  rte_flow_item_ipv6 v6_{}, v6_mask_{};
  rte_flow_item_udp udp_{}, udp_mask_{};
#if SOFTFEB_HAS_IB_BTH
  rte_flow_item_ib_bth bth_{}, bth_mask_{};
#endif
  rte_flow_action_queue queue_{};
};

std::string words(const rte_flow_error& error, int status) {
  return error.message != nullptr ? error.message : rte_strerror(-status);
}

std::optional<std::string> validate(std::uint16_t port, const SteeringRule& rule) {
  if (rule.qpn && !SOFTFEB_HAS_IB_BTH) {
    return std::string(rte_version()) + " has no BTH flow item (23.07 has)";
  }
  Pattern p(rule);
  rte_flow_error error{};
  const int status = rte_flow_validate(port, &p.attributes, p.items.data(), p.actions.data(), &error);
  if (status == 0) return std::nullopt;
  return words(error, status);
}

/// Inserts the rule that sends RoCEv2 packets of one version of IP from the root table to the group of the
/// BTH rules. Drivers (mlx5) require an IP item before a UDP item.
rte_flow* insert_jump(std::uint16_t port, rte_flow_item_type ip, rte_flow_error& error) {
  rte_flow_attr attributes{};
  attributes.ingress = 1;
  rte_flow_item_udp udp{}, mask{};
  udp.hdr.dst_port = rte_cpu_to_be_16(roce::kRoceUdpPort);
  mask.hdr.dst_port = 0xffff;
  const std::array<rte_flow_item, 4> items{{{RTE_FLOW_ITEM_TYPE_ETH, nullptr, nullptr, nullptr},
                                            {ip, nullptr, nullptr, nullptr},
                                            {RTE_FLOW_ITEM_TYPE_UDP, &udp, nullptr, &mask},
                                            {RTE_FLOW_ITEM_TYPE_END, nullptr, nullptr, nullptr}}};
  const rte_flow_action_jump jump{kBthGroup};
  const std::array<rte_flow_action, 2> actions{
      {{RTE_FLOW_ACTION_TYPE_JUMP, &jump}, {RTE_FLOW_ACTION_TYPE_END, nullptr}}};
  return rte_flow_create(port, &attributes, items.data(), actions.data(), &error);
}

/// Inserts the rule that sends packets without a matching BTH rule to queue 0 and the software classifier.
/// Without this rule, such packets would be dropped at the end of the group.
rte_flow* insert_fallback(std::uint16_t port, rte_flow_error& error) {
  rte_flow_attr attributes{};
  attributes.ingress = 1;
  attributes.group = kBthGroup;
  attributes.priority = 1;
  const std::array<rte_flow_item, 2> items{{{RTE_FLOW_ITEM_TYPE_ETH, nullptr, nullptr, nullptr},
                                            {RTE_FLOW_ITEM_TYPE_END, nullptr, nullptr, nullptr}}};
  const rte_flow_action_queue queue{0};
  const std::array<rte_flow_action, 2> actions{
      {{RTE_FLOW_ACTION_TYPE_QUEUE, &queue}, {RTE_FLOW_ACTION_TYPE_END, nullptr}}};
  return rte_flow_create(port, &attributes, items.data(), actions.data(), &error);
}

std::string join(const std::string& a, const std::string& b) {
  return a + (a.empty() || b.empty() ? "" : "; ") + b;
}

}  // namespace

FlowRules::FlowRules(std::uint16_t port_id, SteeringTier highest, std::uint16_t queues,
                     std::span<const SteeredBoard> boards)
    : port_id_(port_id) {
  const RuleCheck check = [port_id](const SteeringRule& rule) { return validate(port_id, rule); };
  std::string before;  // reasons why higher tiers could not be used
  for (;;) {
    LogCollector log;
    choice_ = choose_steering(highest, queues, boards, check);
    const std::string skipped = choice_.tier < highest ? choice_.reason : "";
    std::string refusal;
    if (insert_all(refusal)) {
      // If only the software tier remains, report why the insertions of the higher tiers failed.
      const bool gave_up = !before.empty() && choice_.tier == SteeringTier::kSoftware;
      choice_.reason = gave_up ? before : join(before, choice_.reason);
      return;
    }
    const bool bth = choice_.tier == SteeringTier::kBth;
    before = join(before, skipped);
    before = join(before, (bth ? "no T3: " : "no T2: ") + refusal + " (" + log.one_line() + ')');
    remove_all();
    highest = bth ? SteeringTier::kUdp : SteeringTier::kSoftware;
  }
}

FlowRules::~FlowRules() { remove_all(); }

bool FlowRules::insert_all(std::string& refusal) {
  const auto keep = [&](rte_flow* flow, const rte_flow_error& error) {
    if (flow != nullptr) {
      flows_.push_back(flow);
      return true;
    }
    refusal = "a rule that was validated before is now refused: " + words(error, -rte_errno);
    return false;
  };
  for (const SteeringRule& rule : choice_.rules) {
    Pattern p(rule);
    rte_flow_error error{};
    if (!keep(rte_flow_create(port_id_, &p.attributes, p.items.data(), p.actions.data(), &error), error))
      return false;
  }
  if (choice_.tier != SteeringTier::kBth) return true;
  rte_flow_error error{};
  if (!keep(insert_fallback(port_id_, error), error)) return false;
  const auto any = [&](bool v4) {
    return std::any_of(choice_.rules.begin(), choice_.rules.end(),
                       [v4](const SteeringRule& rule) { return rule.ip.is_v4() == v4; });
  };
  const auto jump = [&](rte_flow_item_type ip) { return keep(insert_jump(port_id_, ip, error), error); };
  return (!any(true) || jump(RTE_FLOW_ITEM_TYPE_IPV4)) && (!any(false) || jump(RTE_FLOW_ITEM_TYPE_IPV6));
}

void FlowRules::remove_all() {
  // Remove the jumps before the rules to which they lead.
  std::for_each(flows_.rbegin(), flows_.rend(), [this](rte_flow* flow) {
    rte_flow_error error{};
    rte_flow_destroy(port_id_, flow, &error);
  });
  flows_.clear();
}

}  // namespace softfeb::dataplane
