// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"

namespace softfeb::config {
namespace {

/// Parameters that are fixed when the QP is created.
constexpr const char* kFixed[] = {"scope", "bucket", "bucket_start", "width"};
constexpr const char* kPattern = "changes[].dcqcn";

bool refuse_fixed(Section& s, const DcqcnConfig& d) {
  const auto refused = [&s](const char* key) {
    if (!s.given(key)) return false;
    s.reading().problem(s.find(key)->where, std::string("`") + key + "` cannot change while a QP sends",
                        "write it in the `dcqcn` of the board or QP");
    return true;
  };
  bool any = false;
  for (const char* key : kFixed) any = refused(key) || any;
  if (d.algorithm == DcqcnConfig::Algorithm::kFirmware) any = refused("line_rate") || any;
  return any;
}

std::optional<DcqcnConfig::Algorithm> read_algorithm(Section& s) {
  choices::DcqcnName name = choices::DcqcnName::kOff;
  if (!s.require("algorithm", name, choices::kDcqcn, "firmware")) return std::nullopt;
  if (name != choices::DcqcnName::kOff) return choices::algorithm_of(name);
  s.reading().problem(s.find("algorithm")->where,
                      "congestion control cannot be switched off while a QP sends",
                      "write the QP's algorithm; firmware with `dcqcn_bypass: true` ignores CNPs");
  return std::nullopt;
}

void read_qps(Section& s, std::optional<std::uint32_t>& qp) {
  s.read("qps", qp, [](const std::string& text) -> Parsed<std::optional<std::uint32_t>> {
    if (text == "all") return std::optional<std::uint32_t>();
    const auto number = parse_integer(text, 0, UINT32_MAX - 1);
    if (number.value) return std::optional(static_cast<std::uint32_t>(*number.value));
    return {text + " is not a QP", "write all, or the QP's index on its board, from 0"};
  });
}

/// Validates the parameters and reports problems only. The keys are not recorded as known, because those of a
/// QP's section are already in the reference.
void look_over(Reading& reading, const Node& node) {
  Reading own;
  DcqcnConfig scratch;
  Section s(own, node, kPattern);
  if (const auto algorithm = read_algorithm(s)) {
    scratch.algorithm = *algorithm;
    const bool fixed = refuse_fixed(s, scratch);
    read_dcqcn_parameters(s, scratch);
    if (!fixed) s.close();
  }
  for (const Problem& p : own.problems) reading.problem(p.where, p.message, p.fix);
}

Node scalar(const std::string& name, const std::string& text) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.name = name;
  node.text = text;
  node.where.key = name;
  return node;
}

}  // namespace

ChangeDraft read_change(Section s) {
  ChangeDraft draft;
  ChangeConfig& change = draft.config;
  change.where = s.where();
  s.require("at", change.at, parse_time, "5s");
  s.require("board", draft.board, parse_text, "feb0");
  if (const Node* board = s.find("board")) draft.board_where = board->where;
  read_qps(s, change.qp);
  const Node* node = s.find("dcqcn");
  if (node == nullptr) {
    s.missing("dcqcn", "{algorithm: firmware, dcqcn_bypass: true}");
  } else {
    draft.dcqcn = *node;
    look_over(s.reading(), *node);
    for (const Node& child : node->children) change.given.emplace_back(child.name, child.text);
  }
  s.close();
  return draft;
}

void apply_change(Reading& reading, const ChangeDraft& draft, DcqcnConfig& d) {
  Section s(reading, draft.dcqcn, kPattern);
  const auto algorithm = read_algorithm(s);
  if (!algorithm) return;
  if (*algorithm != d.algorithm) {
    const char* const has = d.algorithm == DcqcnConfig::Algorithm::kOff        ? "no congestion control"
                            : d.algorithm == DcqcnConfig::Algorithm::kFirmware ? "the algorithm firmware"
                                                                               : "the algorithm paper";
    return reading.problem(s.find("algorithm")->where,
                           std::string("a QP of \"") + draft.board + "\" that this selects has " + has,
                           "write that algorithm, or select QPs that use this one");
  }
  read_dcqcn_parameters(s, d);
}

DcqcnConfig change_dcqcn(const DcqcnConfig& now,
                         const std::vector<std::pair<std::string, std::string>>& given) {
  Node dcqcn = scalar("dcqcn", {});
  dcqcn.kind = Node::Kind::kMap;
  dcqcn.children.push_back(scalar("algorithm", to_string(now.algorithm)));
  for (const auto& [key, value] : given) {
    if (key == "algorithm") throw ConfigError({{{"", 0, key}, "stays as it is", "leave it out"}});
    dcqcn.children.push_back(scalar(key, value));
  }
  Node change;
  change.kind = Node::Kind::kMap;
  change.children = {scalar("at", "0"), scalar("board", "it"), std::move(dcqcn)};
  Reading reading;
  const ChangeDraft draft = read_change(Section(reading, change, "changes[]"));
  DcqcnConfig changed = now;
  if (reading.problems.empty()) apply_change(reading, draft, changed);
  if (!reading.problems.empty()) throw ConfigError(reading.problems);
  return changed;
}

}  // namespace softfeb::config
