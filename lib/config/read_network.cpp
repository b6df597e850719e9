// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/lab_draft.hpp"

namespace softfeb::config {
namespace {

void read_part(Section& s, const char* key, std::uint64_t& parts) {
  Probability probability;
  if (s.read(key, probability, parse_probability)) parts = probability.parts();
}

fabric::LinkFaults read_faults(Section s) {
  fabric::LinkFaults faults;
  read_part(s, "drop", faults.drop);
  read_part(s, "duplicate", faults.duplicate);
  read_part(s, "corrupt", faults.corrupt);
  read_part(s, "reorder", faults.reorder);
  s.read("reorder_by", faults.reorder_by, parse_time);
  s.close();
  return faults;
}

void read_ends(Section& s, LinkDraft& draft) {
  const Node* node = s.find("ends");
  if (node == nullptr) return s.missing("ends", "[feb0, tor]");
  if (node->kind != Node::Kind::kList || node->children.size() != 2) {
    return s.reading().problem(node->where, "a link has two ends", "write them as [feb0, tor]");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    draft.ends_where[i] = node->children[i].where;
    s.scalar(node->children[i], draft.ends[i], parse_text);
  }
}

/// Limits the delay to one second, more than any cable has.
Parsed<Time> parse_delay(const std::string& text) {
  auto delay = parse_time(text);
  if (delay.value && *delay.value > kSecond)
    return {text + " is too long for the delay of a link", "write at most 1s"};
  return delay;
}

Parsed<std::uint64_t> parse_link_rate(const std::string& text) {
  auto rate = parse_bandwidth(text);
  if (rate.value && *rate.value > 1'000'000'000'000)
    return {text + " is out of range for the rate of a link", "write at most 8000Gb/s"};
  return rate;
}

LinkDraft read_link(Section s) {
  LinkDraft draft;
  draft.where = s.where();
  fabric::LinkConfig& link = draft.config;
  read_ends(s, draft);
  s.require("rate", link.rate, parse_link_rate, "10Gb/s");
  s.read("delay", link.delay, parse_delay);
  s.read("flow_control", link.flow_control, choices::kPauseMode);
  if (const Node* node = s.find("faults"))
    link.a_to_b = read_faults(Section(s.reading(), *node, s.pattern("faults")));
  link.b_to_a = link.a_to_b;
  if (const Node* node = s.find("faults_back"))
    link.b_to_a = read_faults(Section(s.reading(), *node, s.pattern("faults_back")));
  s.close();
  return draft;
}

}  // namespace

void read_network(Section s, LabDraft& draft) {
  draft.network_where = s.where();
  s.read("worker", draft.worker, integer(0, 127));
  s.read("mtu", draft.mtu, integer(340, 16'128));
  for (const Node& node : s.list("switches"))
    draft.switches.push_back(read_switch(Section(s.reading(), node, s.pattern("switches[]"))));
  for (const Node& node : s.list("links"))
    draft.links.push_back(read_link(Section(s.reading(), node, s.pattern("links[]"))));
  s.close();
  if (draft.links.empty()) s.missing("links", "[{ends: [feb0, daq], rate: 10Gb/s}]");
}

}  // namespace softfeb::config
