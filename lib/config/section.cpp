// SPDX-License-Identifier: BSD-3-Clause
#include "config/section.hpp"

#include "config/error.hpp"

namespace softfeb::config {

Section::Section(Reading& reading, const Node& node, std::string pattern)
    : reading_(reading), node_(node), pattern_(std::move(pattern)) {
  // An empty section is equivalent to a missing one: all keys have their default values.
  if (node.kind == Node::Kind::kScalar || node.kind == Node::Kind::kList) {
    reading.problem(node.where, "is not a section", "write its keys below it, indented, one per line");
  }
}

std::string Section::pattern(std::string_view key) const {
  return pattern_.empty() ? std::string(key) : pattern_ + '.' + std::string(key);
}

const Node* Section::find(std::string_view key) {
  if (asked_.emplace(key).second) reading_.known.insert(pattern(key));
  if (node_.kind != Node::Kind::kMap) return nullptr;
  const Node* node = node_.find(key);
  if (node != nullptr) reading_.places[node->where.key] = node->where;
  return node;
}

const std::vector<Node>& Section::list(std::string_view key) {
  static const std::vector<Node> kNone;
  const Node* node = find(key);
  if (node == nullptr || node->kind == Node::Kind::kNull) return kNone;
  if (node->kind != Node::Kind::kList) {
    reading_.problem(node->where, "is not a list", "begin each element with `- `");
    return kNone;
  }
  return node->children;
}

void Section::missing(std::string_view key, std::string_view example) {
  const std::string name(key);
  reading_.problem(node_.where, "`" + name + "` is missing",
                   "add `" + name + ": " + std::string(example) + "`");
}

void Section::not_scalar(const Node& node) {
  reading_.problem(node.where, node.kind == Node::Kind::kNull ? "has no value" : "must be a single value",
                   "write a value after the colon");
}

void Section::close() {
  if (node_.kind != Node::Kind::kMap) return;
  for (const Node& child : node_.children) {
    if (asked_.count(child.name) != 0) continue;
    std::string fix;
    if (const std::string* near = nearest(child.name, asked_)) {
      fix = "did you mean `" + *near + "`?";
    } else {
      for (const std::string& name : asked_)
        fix += (fix.empty() ? "remove it; known keys here: " : ", ") + name;
    }
    reading_.problem(child.where, "unknown key `" + child.name.substr(0, 64) + "`", std::move(fix));
  }
}

Parsed<std::string> parse_text(const std::string& text) {
  if (text.empty()) return {"is empty", "write a name"};
  return text;
}

}  // namespace softfeb::config
