// SPDX-License-Identifier: BSD-3-Clause
// Reads and resolves network.parts.
#include "config/draft.hpp"
#include "config/link_ends.hpp"

#include <optional>

namespace softfeb::config {
namespace {

constexpr std::uint64_t kMostParts = 1024;
constexpr const char* kPartsExample = "[{switches: [leaf-0..leaf-5, spine]}, {switches: [leaf-6..leaf-11]}]";

/// Parses a number, or `auto`, which becomes 0.
Parsed<std::uint64_t> parse_part_count(const std::string& text) {
  if (text == "auto") return std::uint64_t{0};
  auto count = parse_integer(text, 1, kMostParts);
  if (!count.value) count.fix = std::string("write auto, a number, or a list such as ") + kPartsExample;
  return count;
}

PartDraft read_part_draft(Section s) {
  PartDraft part;
  part.where = s.where();
  for (const Node& node : s.list("switches")) {
    std::string name;
    if (!s.scalar(node, name, parse_text)) continue;
    part.switches.push_back(name);
    part.switch_wheres.push_back(node.where);
  }
  if (part.switches.empty()) s.missing("switches", "[leaf-0..leaf-5, spine]");
  s.close();
  return part;
}

/// Assigns the switches of one part. `owner` contains, for each switch, the part to which the switch has been
/// assigned; empty if the switch has no part yet.
void resolve_part(Reading& reading, const PartDraft& draft, LinkEnds& ends, const LabConfig& lab,
                  std::vector<std::optional<std::size_t>>& owner, PartsConfig& parts) {
  auto& switches = parts.switches.emplace_back();
  parts.wheres.push_back(draft.where);
  for (std::size_t i = 0; i < draft.switches.size(); ++i) {
    for (const fabric::NodeRef& node : ends.find(draft.switches[i], draft.switch_wheres[i])) {
      if (node.kind == fabric::NodeRef::Kind::kStation) {
        reading.problem(draft.switch_wheres[i], '"' + name_of(lab.network, node) + "\" is not a switch",
                        "name only switches: boards and receivers belong to the part of their switch");
        continue;
      }
      if (owner[node.index]) {
        reading.problem(
            draft.switch_wheres[i],
            '"' + name_of(lab.network, node) + "\" is already in part " + std::to_string(*owner[node.index]),
            "name each switch once");
        continue;
      }
      owner[node.index] = parts.switches.size() - 1;
      switches.push_back(node.index);
    }
  }
}

}  // namespace

void read_parts(Section& network, LabDraft& draft) {
  const Node* const node = network.find("parts");
  if (node == nullptr) return;
  draft.parts_where = node->where;
  if (node->kind != Node::Kind::kList) {
    network.read("parts", draft.part_count, parse_part_count);
    return;
  }
  for (const Node& part : node->children)
    draft.parts.push_back(read_part_draft(Section(network.reading(), part, network.pattern("parts[]"))));
  if (draft.parts.empty())
    network.reading().problem(node->where, "contains no part",
                              std::string("write for example ") + kPartsExample);
}

PartsConfig resolve_parts(Reading& reading, const LabDraft& draft, LinkEnds& ends, const LabConfig& lab) {
  PartsConfig parts;
  parts.count = draft.part_count;
  parts.where = draft.parts_where;
  if (draft.parts.empty()) return parts;
  std::vector<std::optional<std::size_t>> owner(lab.network.switches.size());
  for (const PartDraft& part : draft.parts) resolve_part(reading, part, ends, lab, owner, parts);
  for (std::size_t s = 0; s < owner.size(); ++s) {
    if (owner[s]) continue;
    reading.problem(parts.where, "switch \"" + lab.network.switches[s].name + "\" is in no part",
                    "add it to the `switches` of a part");
  }
  parts.count = static_cast<std::uint32_t>(parts.switches.size());
  return parts;
}

}  // namespace softfeb::config
