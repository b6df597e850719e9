// SPDX-License-Identifier: BSD-3-Clause
#include "load_file.hpp"

#include "config/error.hpp"
#include "config/node.hpp"
#include "failure.hpp"
#include "value.hpp"

#include <array>
#include <map>

namespace softfeb::febctl {

namespace {

using config::Node;

/// Walks the tree and collects values and problems.
class Reader {
 public:
  explicit Reader(const Catalogue& catalogue) : catalogue_(catalogue) {}

  void walk(const Node& node, const std::string& path) {
    if (node.kind == Node::Kind::kMap) {
      for (const Node& child : node.children)
        walk(child, path.empty() ? child.name : path + "." + child.name);
    } else if (path.empty()) {
      problem(node, "is not a map of registers", "write PATH: VALUE lines");
    } else {
      leaf(node, path);
    }
  }

  std::vector<FileValue> values;
  std::vector<config::Problem> problems;

 private:
  void problem(const Node& node, const std::string& what, const std::string& fix) {
    problems.push_back({node.where, what, fix});
  }

  void leaf(const Node& node, const std::string& path) {
    try {
      const Register reg = catalogue_.one(path);
      if (!reg.writable()) return problem(node, reg.path + " is read-only", "remove it");
      if (const auto [seen, first] = lines_.try_emplace({reg.address, reg.bit_offset}, node.where.line);
          !first)
        return problem(node, "is set in line " + std::to_string(seen->second) + " already",
                       "remove one of them");
      values.push_back({reg, bits(node, reg), node.where});
    } catch (const UsageError& error) {
      // error.what() already contains the fix.
      problem(node, error.what(), "");
    }
  }

  static Bits bits(const Node& node, const Register& reg) {
    if (node.kind == Node::Kind::kNull) throw UsageError("no value; fix: write one, or remove the line");
    if (node.kind == Node::Kind::kScalar) return parse_value(reg, node.text);
    std::vector<std::string> elements;
    for (const Node& child : node.children) {
      if (child.kind != Node::Kind::kScalar)
        throw UsageError("an element is not a scalar; fix: write numbers");
      elements.push_back(child.text);
    }
    return parse_list(reg, elements);
  }

  const Catalogue& catalogue_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> lines_;
};

/// A tree of values. The children of a node are in the order of their first occurrence.
struct Tree {
  std::string name;
  std::string value;
  std::vector<Tree> children;

  Tree& child(const std::string& wanted) {
    for (Tree& c : children) {
      if (c.name == wanted) return c;
    }
    return children.emplace_back(Tree{wanted, {}, {}});
  }
};

void emit(const Tree& tree, std::size_t depth, std::string& out) {
  for (const Tree& child : tree.children) {
    out += std::string(2 * depth, ' ') + child.name + ":" + (child.value.empty() ? "" : " " + child.value) +
           "\n";
    emit(child, depth + 1, out);
  }
}

}  // namespace

std::vector<FileValue> read_values(const Catalogue& catalogue, const std::string& yaml,
                                   const std::string& file) {
  Node root = config::parse_yaml(yaml, file);
  config::assign_paths(root, "");
  Reader reader(catalogue);
  reader.walk(root, "");
  if (!reader.problems.empty()) throw config::ConfigError(reader.problems);
  return std::move(reader.values);
}

std::string write_values(const std::vector<Reading>& readings) {
  Tree root;
  for (const Reading& reading : readings) {
    Tree* node = &root;
    std::string_view rest = reading.reg.path;
    while (true) {
      const std::size_t dot = rest.find('.');
      node = &node->child(std::string(rest.substr(0, dot)));
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    node->value = value_yaml(reading.reg, reading.bits);
  }
  std::string out;
  emit(root, 0, out);
  return out;
}

bool is_setting(const Register& reg) {
  static constexpr std::array<std::string_view, 12> kTriggers = {
      "SendMetaData", "MetaDataTx", "StartDispatching", "OpenConn",          "CloseConn", "InjectFault",
      "UserReset",    "FpgaReload", "FpgaReloadHalt",   "FpgaReloadAddress", "SoftReset", "CnpCounterReset"};
  if (reg.access != Access::kReadWrite || reg.path.find("AxiMicronN25Q") != std::string::npos) return false;
  const std::string_view name = std::string_view(reg.path).substr(reg.path.rfind('.') + 1);
  for (const std::string_view trigger : kTriggers) {
    if (name == trigger) return false;
  }
  return true;
}

}  // namespace softfeb::febctl
