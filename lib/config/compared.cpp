// SPDX-License-Identifier: BSD-3-Clause
#include "config/compared.hpp"

#include "config/compared_needs.hpp"
#include "config/congestion.hpp"
#include "config/document.hpp"
#include "config/draft.hpp"
#include "config/error.hpp"
#include "config/load.hpp"
#include "config/units.hpp"
#include "plugins/plugin_algorithm.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace softfeb::config {
namespace {

/// A run with this name uses the DCQCN algorithm given in the file or, if the file gives none, the firmware's
/// algorithm.
constexpr const char* kAnyDcqcn = "dcqcn";

[[noreturn]] void refuse_names(std::string message, std::string fix) {
  throw ConfigError({{{kComparedPlace, 0, {}}, std::move(message), std::move(fix)}});
}

/// One run of a comparison.
struct Entry {
  std::string name;
  std::string algorithm;          ///< value of `algorithm`; empty for a plug-in
  std::string plugin = {};        ///< path of the plug-in
  const Node* section = nullptr;  ///< section of `lab.compare` with parameters; null if there is none

  bool is_plugin() const { return !plugin.empty(); }
};

bool is_path(const std::string& name) { return name.find('/') != std::string::npos || name.ends_with(".so"); }

/// True for the names of DCQCN algorithms: all names except `off` and those in congestion::algorithms().
bool is_dcqcn(const std::string& algorithm) {
  return !algorithm.empty() && algorithm != "off" && congestion::find_algorithm(algorithm) == nullptr;
}

std::string text_of(const Node& section, std::string_view key) {
  const Node* const node = section.find(key);
  return node == nullptr ? std::string() : node->text;
}

Entry section_entry(const Node& section) {
  Entry entry{section.name, text_of(section, "algorithm"), text_of(section, "plugin")};
  if (!section.children.empty()) entry.section = &section;
  if (entry.algorithm.empty() && !entry.is_plugin())
    entry.algorithm = section.name == kAnyDcqcn ? "firmware" : section.name;
  return entry;
}

[[noreturn]] void refuse_unknown(const std::string& name, const std::vector<std::string>& known) {
  std::string fix;
  for (const std::string& k : known) fix += (fix.empty() ? "write names of " : ", ") + k;
  const std::string* const near = nearest(name, known);
  refuse_names("no algorithm \"" + name.substr(0, 64) + '"',
               (near != nullptr ? "did you mean `" + *near + "`? Otherwise " : "") + fix +
                   ", or the path of a plug-in");
}

Entry named_entry(const std::string& name, const std::vector<Node>& sections) {
  for (const Node& section : sections) {
    if (section.name == name) return section_entry(section);
  }
  if (is_path(name)) return {std::filesystem::path(name).stem().string(), "", name};
  std::vector<std::string> known = algorithm_values();
  known.insert(known.begin(), kAnyDcqcn);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    for (const Node& section : sections) known.push_back(section.name);
    refuse_unknown(name, known);
  }
  return {name, name == kAnyDcqcn ? "firmware" : name};
}

/// Returns the algorithms to be compared. Empty if neither the command line nor the file names any.
std::vector<Entry> named_entries(const LabConfig& base, const std::vector<std::string>& names) {
  const std::vector<Node>& sections = base.lab.compare;
  std::vector<Entry> all;
  for (const std::string& name : names) {
    Entry entry = named_entry(name, sections);
    if (std::any_of(all.begin(), all.end(), [&](const Entry& e) { return e.name == entry.name; }))
      refuse_names("\"" + entry.name + "\" is named twice", "name each algorithm once");
    all.push_back(std::move(entry));
  }
  if (!names.empty()) return all;
  for (const Node& section : sections) all.push_back(section_entry(section));
  return all;
}

std::vector<Entry> built_in_entries() {
  std::vector<Entry> all{named_entry(kAnyDcqcn, {})};
  for (const congestion::Algorithm* a : congestion::algorithms())
    all.push_back(named_entry(std::string(a->name()), {}));
  return all;
}

Node scalar(const std::string& name, const std::string& text, const Where& where) {
  return {Node::Kind::kScalar, name, text, where, {}};
}

/// Returns a section `congestion` that is made from an element of `lab.compare`. If the element has neither
/// `algorithm` nor `plugin`, the name of the element is used as the algorithm.
Node congestion_section(const Node& element) {
  Node section = element;
  section.kind = Node::Kind::kMap;
  section.name = "congestion";
  const Entry entry = section_entry(element);
  if (section.find("algorithm") == nullptr && !entry.is_plugin())
    section.children.push_back(scalar("algorithm", entry.algorithm, section.where));
  return section;
}

/// Writes the settings of one congestion control algorithm into a document.
class Variant {
 public:
  Variant(const LabConfig& base, const Entry& entry, Node document)
      : base_(base), entry_(entry), document_(std::move(document)) {}

  ComparedLab load(const std::string& file) {
    for_each("boards", [this](Node& board) { replace_at(board); });
    if (replaced_) leave_out("changes");
    std::vector<std::string> switched_on;
    if (is_dcqcn(entry_.algorithm)) switched_on = switch_on_marking(document_, base_);
    if (needs(congestion::kNeedsIntRecords)) switched_on = switch_on_int(document_, base_);
    if (needs(congestion::kNeedsGrants)) switched_on = switch_on_grants(document_, base_);
    assign_paths(document_, "");
    ComparedLab lab{entry_.name, load_lab_document(document_, file), std::move(switched_on),
                    std::move(left_out_)};
    if (needs(congestion::kNeedsGrants)) check_priorities(document_, base_, lab.config);
    return lab;
  }

 private:
  template <class Call>
  void for_each(const char* list, Call call) {
    if (Node* const node = document_.find(list))
      std::for_each(node->children.begin(), node->children.end(), call);
  }

  static Node* section_of(Node& owner) {
    Node* const any = owner.find("congestion");
    return any != nullptr ? any : owner.find("dcqcn");
  }

  static void remove(Node& owner, std::string_view key) {
    std::erase_if(owner.children, [key](const Node& child) { return child.name == key; });
  }

  /// True if the run uses the section unchanged: `lab.compare` has no section for the run, and the section
  /// names the algorithm of the run.
  bool kept(const Node& section) const {
    const bool map = section.kind == Node::Kind::kMap;
    if (entry_.section != nullptr) return false;
    if (entry_.is_plugin()) return map && text_of(section, "plugin") == entry_.plugin;
    const std::string algorithm = map ? text_of(section, "algorithm") : section.text;
    return algorithm == entry_.algorithm || (entry_.name == kAnyDcqcn && is_dcqcn(algorithm));
  }

  void replace_at(Node& board) {
    if (Node* const qps = board.find("qps")) {
      for (Node& qp : qps->children) remove_from(qp);
    }
    if (const Node* const section = section_of(board); section != nullptr && kept(*section)) return;
    remove_from(board);
    board.children.push_back(entry_.section != nullptr ? congestion_section(*entry_.section)
                                                       : default_section(board));
    replaced_ = true;
  }

  void remove_from(Node& owner) {
    const Node* const section = section_of(owner);
    if (section == nullptr || kept(*section)) return;
    remove(owner, "congestion");
    remove(owner, "dcqcn");
    replaced_ = true;
  }

  Node default_section(const Node& board) const {
    const Where where{kComparedPlace, 0, {}};
    if (entry_.algorithm == "off") return scalar("congestion", "off", where);
    Node section{Node::Kind::kMap, "congestion", {}, where, {}};
    section.children.push_back(entry_.is_plugin() ? scalar("plugin", entry_.plugin, where)
                                                  : scalar("algorithm", entry_.algorithm, where));
    if (needs(congestion::kNeedsGrants)) add_grant_parameters(section, base_);
    if (!is_dcqcn(entry_.algorithm)) return section;
    const std::uint64_t rate = link_rate(board);
    section.children.push_back(scalar("line_rate", format_bandwidth(rate), where));
    if (entry_.algorithm == "firmware" && rate > UINT32_MAX)
      section.children.push_back(scalar("width", "64", where));
    return section;
  }

  /// Returns the link rate of the board's first replica in bytes per second, or the default if this replica
  /// has no link rate.
  std::uint64_t link_rate(const Node& board) const {
    for (const BoardConfig& b : base_.run.boards) {
      if (b.endpoint.where.key == board.where.key && b.link_rate) return *b.link_rate;
    }
    return congestion::PathFacts().line_rate;
  }

  void leave_out(const char* key) {
    const Node* const node = document_.find(key);
    if (node == nullptr || node->children.empty()) return;
    left_out_.emplace_back(key);
    remove(document_, key);
  }

  bool needs(congestion::Needs what) const {
    const congestion::Algorithm* algorithm = congestion::find_algorithm(entry_.algorithm);
    if (entry_.is_plugin()) {
      try {
        algorithm = &plugins::load_plugin(entry_.plugin);
      } catch (const plugins::PluginError&) {
        return false;  // the loader reports this problem, with its position
      }
    }
    return algorithm != nullptr && (algorithm->needs() & what) != 0;
  }

  const LabConfig& base_;
  const Entry& entry_;
  Node document_;
  bool replaced_ = false;
  std::vector<std::string> left_out_;
};

}  // namespace

void check_compared(Reading& reading, const Node& section) {
  Node owner;
  owner.kind = Node::Kind::kMap;
  owner.where = section.where;
  owner.children.push_back(congestion_section(section));
  Section s(reading, owner, "");
  if (auto d = read_congestion(s); d && d->algorithm == CongestionConfig::Algorithm::kOther) {
    d->other.values = d->other.algorithm->defaults({});
    set_given(reading, *d);
  }
}

Comparison load_compared(const std::string& path, const std::vector<std::string>& overrides,
                         const std::vector<std::string>& names) {
  Node document = parse_based(read_text(path), path);
  for (const std::string& assignment : overrides) apply_override(document, assignment);
  const LabConfig base = load_lab_document(document, path);
  Comparison comparison;
  for (const Entry& entry : named_entries(base, names))
    comparison.labs.push_back(Variant(base, entry, document).load(path));
  if (!comparison.labs.empty()) return comparison;
  std::optional<ConfigError> first;
  for (const Entry& entry : built_in_entries()) {
    try {
      comparison.labs.push_back(Variant(base, entry, document).load(path));
    } catch (const ConfigError& e) {
      if (!first) first = e;
      comparison.unfit.push_back({entry.name, to_string(e.problems().front())});
    }
  }
  if (comparison.labs.empty()) throw ConfigError(*first);
  return comparison;
}

}  // namespace softfeb::config
