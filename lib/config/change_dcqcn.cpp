// SPDX-License-Identifier: BSD-3-Clause
#include "config/change_dcqcn.hpp"

#include "config/draft.hpp"
#include "config/emit.hpp"

namespace softfeb::config {
namespace {

const char* algorithm_name(DcqcnConfig::Algorithm a) {
  return a == DcqcnConfig::Algorithm::kOff        ? "off"
         : a == DcqcnConfig::Algorithm::kFirmware ? "firmware"
                                                  : "paper";
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

DcqcnConfig change_dcqcn(const DcqcnConfig& now,
                         const std::vector<std::pair<std::string, std::string>>& given) {
  Node dcqcn = scalar("dcqcn", {});
  dcqcn.kind = Node::Kind::kMap;
  dcqcn.children.push_back(scalar("algorithm", algorithm_name(now.algorithm)));
  for (const auto& [key, value] : given) {
    if (key == "algorithm") throw ConfigError({{{"", 0, key}, "cannot be changed", "remove it"}});
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

Json changeable(const DcqcnConfig& dcqcn) {
  Json all = emit_dcqcn(dcqcn);
  if (!all.is_object()) return Json::object();
  for (const char* fixed : {"algorithm", "scope", "bucket", "bucket_start", "width"}) all.erase(fixed);
  if (dcqcn.algorithm == DcqcnConfig::Algorithm::kFirmware) all.erase("line_rate");
  return all;
}

}  // namespace softfeb::config
