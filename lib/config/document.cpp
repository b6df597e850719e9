// SPDX-License-Identifier: BSD-3-Clause
#include "config/document.hpp"

#include "config/error.hpp"
#include "config/installation.hpp"
#include "config/limited_text.hpp"
#include "config/units.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace softfeb::config {
namespace {

constexpr int kMostBases = 8;

[[noreturn]] void fail(const Where& where, std::string message, std::string fix) {
  throw ConfigError({{where, std::move(message), std::move(fix)}});
}

Node parse(const std::string& text, const std::string& file, int depth);

/// Loads the document named by `base` of `derived`.
Node base_of(const Node& derived, const std::string& file, int depth) {
  const Node& base = *derived.find("base");
  if (base.kind != Node::Kind::kScalar || base.text.empty())
    fail(base.where, "does not name a file", "write for example incast.yaml");
  for (const Node& child : derived.children) {
    if (child.name == "base" || child.name == "set") continue;
    fail(child.where, "only `set` may appear beside `base`",
         "write it below `set`, as a dotted path: `run.duration: 10s`");
  }
  const auto path = std::filesystem::path(file).parent_path() / base.text;
  if (std::error_code error; !std::filesystem::is_regular_file(path, error))
    fail(base.where, "no file \"" + path.string() + '"', "name a file relative to this one's directory");
  if (depth >= kMostBases)
    fail(base.where, "is based on too many files", "check that it is not based on itself");
  return parse(read_text(path.string()), path.string(), depth + 1);
}

Node parse(const std::string& text, const std::string& file, int depth) {
  if (text.size() > kMaxFile)
    fail({file, 0, {}}, "is larger than 16 MiB", "use `count` for repeated entries");
  Node document = parse_yaml(text, file);
  if (document.kind != Node::Kind::kMap || document.find("base") == nullptr) return document;
  Node result = base_of(document, file, depth);
  const Node* set = document.find("set");
  if (set == nullptr || set->kind == Node::Kind::kNull) return result;
  if (set->kind != Node::Kind::kMap)
    fail(set->where, "is not a map", "write one line `KEY: VALUE` for each key that differs");
  for (const Node& child : set->children) set_path(result, child.name, child);
  return result;
}

}  // namespace

Node parse_based(const std::string& text, const std::string& file) { return parse(text, file, 0); }

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  // A directory can be opened but not read. Reading the first byte detects it.
  if (!in || in.peek() == std::ifstream::traits_type::eof()) {
    const std::filesystem::path examples = data_folder("conf");
    fail({path, 0, {}}, "cannot be read, or is empty",
         "name a readable configuration file; " + (examples.empty() ? "conf" : examples.string()) +
             "/ has examples");
  }
  return read_limited(in);
}

namespace {

constexpr const char* kFile = "--set";

[[noreturn]] void refuse(Where where, std::string message, std::string fix) {
  throw ConfigError({{std::move(where), std::move(message), std::move(fix)}});
}

std::optional<std::size_t> index_in(const Node& list, const std::string& step) {
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    const Node* name = list.children[i].find("name");
    if (name != nullptr && name->text == step) return i;
  }
  const auto index = parse_integer(step, 0, list.children.size());
  if (!index.value) return std::nullopt;
  return static_cast<std::size_t>(*index.value);
}

/// Returns the child of `node` named by `step`, and creates it if it is missing. A scalar is replaced by a
/// map, so that payload.file=… works after `payload: counter`.
Node& descend(Node& node, const std::string& step, const Where& where) {
  if (node.kind == Node::Kind::kList) {
    const auto index = index_in(node, step);
    if (!index) {
      refuse(where, "the list has no element \"" + step + '"',
             "write an index up to " + std::to_string(node.children.size()) + ", or an element's name");
    }
    if (*index < node.children.size()) return node.children[*index];
    node.children.emplace_back().name = std::to_string(*index);
  } else if (Node* child = node.kind == Node::Kind::kMap ? node.find(step) : nullptr) {
    return *child;
  } else {
    if (node.kind != Node::Kind::kMap)
      node = Node{Node::Kind::kMap, node.name, {}, {where.file, where.line, {}}, {}};
    node.children.emplace_back().name = step;
  }
  node.children.back().where = where;
  return node.children.back();
}

void set_file(Node& node) {
  node.where.file = kFile;
  node.where.line = 0;
  for (Node& child : node.children) set_file(child);
}

}  // namespace

void set_path(Node& document, const std::string& key, Node value) {
  Where where = value.where;
  where.key = key;
  Node* node = &document;
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    if (end == begin || ++depth > 16)
      refuse(where, "is not a dotted path", "write for example boards.0.qps.0.pmtu");
    node = &descend(*node, key.substr(begin, end - begin), where);
    begin = end + 1;
  }
  value.name = node->name;
  *node = std::move(value);
  assign_paths(document, "");
}

void apply_override(Node& document, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    refuse({kFile, 0, assignment}, "is not KEY=VALUE", "write for example run.duration=10s");
  }
  const std::string key = assignment.substr(0, equals);
  const Where where{kFile, 0, key};
  Node value;
  try {
    value = parse_yaml(assignment.substr(equals + 1), kFile);
  } catch (const ConfigError& e) {
    refuse(where, e.problems().front().message, e.problems().front().fix);
  }
  if (value.kind == Node::Kind::kNull) refuse(where, "has no value", "write " + key + "=VALUE");
  set_file(value);
  set_path(document, key, std::move(value));
}

}  // namespace softfeb::config
