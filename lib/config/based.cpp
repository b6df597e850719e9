// SPDX-License-Identifier: BSD-3-Clause
#include "config/based.hpp"

#include "config/error.hpp"
#include "config/override.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace softfeb::config {
namespace {

constexpr std::size_t kMaxFile = 16U << 20;
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
  // Opening a directory succeeds, reading it fails.
  if (!in || in.peek() == std::ifstream::traits_type::eof())
    fail({path, 0, {}}, "cannot be read, or is empty",
         "name a readable configuration file; conf/ has examples");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace softfeb::config
