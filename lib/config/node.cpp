// SPDX-License-Identifier: BSD-3-Clause
#include "config/node.hpp"

#include "config/error.hpp"

#include <map>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace softfeb::config {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxNodes = 1'000'000;

/// Builds the tree from the parser's events. yaml-cpp's own Node tree is not used, because it hides duplicate
/// keys and allows an alias to refer to its own parent.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, const std::string& source) : file_(std::move(file)), source_(source) {}

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    leaf(make(Node::Kind::kNull, mark), anchor, true);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    if (quote_open(mark)) fail(mark, "a quote is not closed on the same line", "close it");
    Node node = make(Node::Kind::kScalar, mark);
    node.text = value;
    leaf(std::move(node), anchor, true);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      fail(mark, "alias to a node that contains it", "write the value instead of the alias");
    if (nodes_ += count(found->second); nodes_ > kMaxNodes) too_large(mark);
    Node node = found->second;
    node.where.line = mark.line + 1;
    leaf(std::move(node), 0, false);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(make(Node::Kind::kList, mark), mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(make(Node::Kind::kMap, mark), mark, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  /// A map or list that is not complete; for a map, also the key whose value comes next.
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key;
    int key_line = 0;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, std::string message, std::string fix) const {
    throw ConfigError({{{file_, mark.line + 1, {}}, std::move(message), std::move(fix)}});
  }
  [[noreturn]] void too_large(const YAML::Mark& mark) const {
    fail(mark, "more than " + std::to_string(kMaxNodes) + " nodes", "use `count` for repeated entries");
  }

  /// True if the quotation mark at `mark` is not closed on the same line. yaml-cpp extends such a quote to
  /// the end of the file. Values in configuration files contain no line breaks, so such a quote is an error.
  bool quote_open(const YAML::Mark& mark) const {
    if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) >= source_.size()) return false;
    std::size_t at = static_cast<std::size_t>(mark.pos);
    const char quote = source_[at];
    if (quote != '"' && quote != '\'') return false;
    while (++at < source_.size() && source_[at] != '\n') {
      if (source_[at] == '\\' && quote == '"') {
        ++at;
      } else if (source_[at] == quote) {
        return false;
      }
    }
    return true;
  }

  static std::size_t count(const Node& node) {
    std::size_t n = 1;
    for (const Node& child : node.children) n += count(child);
    return n;
  }

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    if (++nodes_ > kMaxNodes) too_large(mark);
    Node node;
    node.kind = kind;
    node.where = {file_, mark.line + 1, {}};
    return node;
  }

  void begin(Node node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (awaits_key()) fail(mark, "a key must be a plain word", "write `key: value`, and close every bracket");
    if (open_.size() >= kMaxDepth) fail(mark, "nested too deep", "check the indentation");
    open_.push_back({std::move(node), anchor, false, {}, 0});
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    leaf(std::move(done.node), done.anchor, false);
  }

  bool awaits_key() const {
    return !open_.empty() && open_.back().node.kind == Node::Kind::kMap && !open_.back().has_key;
  }

  void leaf(Node node, YAML::anchor_t anchor, bool may_be_key) {
    if (anchor != 0) anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (awaits_key()) {
      take_key(parent, node, may_be_key);
      return;
    }
    if (parent.node.kind == Node::Kind::kMap) {
      node.name = std::move(parent.key);
      // A value may start on a later line than its key. Report the line of the key.
      node.where.line = parent.key_line;
      parent.has_key = false;
    } else {
      node.name = std::to_string(parent.node.children.size());
    }
    parent.node.children.push_back(std::move(node));
  }

  void take_key(Open& parent, const Node& key, bool may_be_key) const {
    if (!may_be_key || key.kind != Node::Kind::kScalar) {
      throw ConfigError(
          {{key.where, "a key must be a plain word", "write `key: value`, and close every bracket"}});
    }
    if (const Node* first = parent.node.find(key.text)) {
      throw ConfigError({{{file_, key.where.line, key.text},
                          "key given twice, first at line " + std::to_string(first->where.line),
                          "remove one of them"}});
    }
    parent.key = key.text;
    parent.key_line = key.where.line;
    parent.has_key = true;
  }

  std::string file_;
  const std::string& source_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
};

template <class NodeType>
NodeType* find_in(NodeType& node, std::string_view child) {
  for (auto& c : node.children) {
    if (c.name == child) return &c;
  }
  return nullptr;
}

}  // namespace

const Node* Node::find(std::string_view child) const { return find_in(*this, child); }
Node* Node::find(std::string_view child) { return find_in(*this, child); }

Node parse_yaml(const std::string& given, const std::string& file) {
  // yaml-cpp starts counting positions after a byte order mark. Remove it, so that positions are offsets into
  // the text.
  const std::string text = given.starts_with("\xef\xbb\xbf") ? given.substr(3) : given;
  if (text.find('\0') != std::string::npos || text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw ConfigError({{{file, 1, {}}, "is not UTF-8 text", "save it as UTF-8"}});
  }
  TreeBuilder builder(file, text);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    TreeBuilder second(file, text);
    if (parser && parser.HandleNextDocument(second)) {
      throw ConfigError({{second.take().where, "a second YAML document", "remove what follows `---`"}});
    }
  } catch (const YAML::Exception& e) {
    throw ConfigError({{{file, e.mark.line + 1, {}},
                        "not YAML: " + e.msg + " (column " + std::to_string(e.mark.column + 1) + ")",
                        "check indentation, quotes and brackets on this line and the one before"}});
  }
  Node root = builder.take();
  if (root.where.file.empty()) root.where.file = file;
  assign_paths(root, "");
  return root;
}

void assign_paths(Node& node, const std::string& path) {
  node.where.key = path;
  for (Node& child : node.children) assign_paths(child, path.empty() ? child.name : path + '.' + child.name);
}

}  // namespace softfeb::config
