// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/error.hpp"
#include "config/fault_notation.hpp"
#include "config/units.hpp"

#include <string>
#include <vector>

namespace softfeb::config {
namespace {

using faults::ActionKind;
using faults::FaultAction;

constexpr std::uint32_t kMostCopies = 16;
constexpr std::uint32_t kMostOvertaking = 65'535;

/// Checks that the mask of `xor` fits in the target.
void check_mask(Section& s, const FaultAction& a) {
  const Node* const node = s.find("xor");
  const unsigned bits = 8 * width_of(a.target);
  if (node == nullptr || bits == 64 || a.mask >> bits == 0) return;
  s.reading().problem(node->where, "the target has only " + std::to_string(bits) + " bits",
                      "write a mask of at most " + std::to_string(bits) + " bits");
}

void read_corrupt(Section s, FaultAction& a) {
  CorruptPlace place;
  s.require("at", place, parse_corrupt_place, "payload+0");
  a.target = place.target;
  a.offset = place.offset;
  s.require("xor", a.mask, integer(1, UINT64_MAX), "0x01");
  s.read("icrc", a.right_icrc, choices::kFaultIcrc);
  check_mask(s, a);
  if (a.right_icrc && a.target == faults::CorruptTarget::kIcrc)
    s.reading().problem(s.where(), "a right iCRC cannot be corrupted", "remove `icrc: right`");
  s.close();
}

void read_replay(Section s, FaultAction& a) {
  s.require("psn", a.old, parse_psns, "+3");
  if (a.old.size() != 1)
    s.reading().problem(s.where(), "`replay` sends one packet again", "write one PSN, such as +3");
  s.close();
}

/// Reads the key of action `kind`, if it is given.
void read_action_key(Section& s, ActionKind kind, const std::string& key, FaultAction& a) {
  if (!s.given(key)) return void(s.find(key));
  a.kind = kind;
  const auto section = [&] { return Section(s.reading(), *s.find(key), s.pattern(key)); };
  switch (kind) {
    case ActionKind::kSetEcn: {
      roce::Ecn ecn = roce::Ecn::kNotEct;
      s.read(key, ecn, choices::kEcn);
      a.value = static_cast<std::uint32_t>(ecn);
      break;
    }
    case ActionKind::kSetDscp:
      s.read(key, a.value, integer(0, 63));
      break;
    case ActionKind::kSetTtl:
      s.read(key, a.value, integer(0, 255));
      break;
    case ActionKind::kTruncate:
      s.read(key, a.value, integer(1, 16'383));
      break;
    case ActionKind::kDuplicate:
      s.read(key, a.value, integer(1, kMostCopies));
      break;
    case ActionKind::kReorder:
      s.read(key, a.value, integer(1, kMostOvertaking));
      break;
    case ActionKind::kDelay:
      s.read(key, a.delay, time_in(kMicrosecond, kLongestHold, "a delay"));
      break;
    case ActionKind::kCorrupt:
      return read_corrupt(section(), a);
    case ActionKind::kReplay:
      return read_replay(section(), a);
    case ActionKind::kMarkCe:
    case ActionKind::kDrop:
      s.reading().problem(s.find(key)->where, "this action has no value", "write `do: " + key + '`');
  }
}

std::string all_actions() {
  std::string all;
  for (const auto& [name, kind] : choices::kFaultAction.names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

/// Reads an action without a value: `do: drop`.
void read_plain_action(Reading& reading, const Node& node, FaultAction& a) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : choices::kFaultAction.names) {
    names.push_back(name);
    if (name != node.text) continue;
    a.kind = kind;
    if (kind == ActionKind::kDrop || kind == ActionKind::kMarkCe) return;
    return reading.problem(node.where, '`' + name + "` needs a value", "write `do: {" + name + ": …}`");
  }
  const std::string* const near = nearest(node.text, names);
  reading.problem(node.where, '"' + node.text + "\" is not an action",
                  (near != nullptr ? "did you mean `" + *near + "`? Otherwise write" : "write") +
                      (" one of " + all_actions()));
}

}  // namespace

void read_fault_action(Section& parent, FaultAction& a) {
  const Node* const node = parent.find("do");
  if (node == nullptr) return parent.missing("do", "drop");
  if (node->kind == Node::Kind::kScalar) return read_plain_action(parent.reading(), *node, a);
  Section s(parent.reading(), *node, parent.pattern("do"));
  for (const auto& [name, kind] : choices::kFaultAction.names) {
    // Actions without a value are not keys. Read such an action only if it is nevertheless given as a key, so
    // that the error message explains the mistake.
    const bool plain = kind == ActionKind::kDrop || kind == ActionKind::kMarkCe;
    if (!plain || s.given(name)) read_action_key(s, kind, name, a);
  }
  s.close();
  if (node->children.size() != 1)
    s.reading().problem(node->where, "a rule has one action", "write one of " + all_actions());
}

}  // namespace softfeb::config
