// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/error.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace softfeb::config {
namespace {

/// Parameters that are fixed when the QP is created, so `changes` must not contain them. For the firmware's
/// algorithm, `line_rate` is fixed, too.
constexpr const char* kFixed[] = {"scope", "bucket", "bucket_start", "width"};
std::string pattern_of(const Node& node) { return "changes[]." + node.name; }

bool refuse_fixed(Section& s, const CongestionConfig& d) {
  const auto refused = [&](const char* key) {
    if (!s.given(key)) return false;
    s.reading().problem(s.find(key)->where, std::string("`") + key + "` cannot change while a QP sends",
                        std::string("write it in the `") + d.key() + "` of the board or QP");
    return true;
  };
  bool any = false;
  for (const char* key : kFixed) any = refused(key) || any;
  if (d.algorithm == CongestionConfig::Algorithm::kFirmware) any = refused("line_rate") || any;
  return any;
}

/// Reads the algorithm of a change; `off` is rejected, because a change cannot turn congestion control off.
std::optional<CongestionConfig> read_changed(Section& s, const Node& node) {
  auto d = read_algorithm(s, node.name.c_str());
  if (d && d->other.algorithm != nullptr && !d->other.algorithm->changeable()) {
    s.reading().problem(
        s.find("algorithm")->where,
        "the parameters of " + d->name() + " cannot change while a QP sends, because both ends use them",
        "write them in the `congestion` of the board or QP");
    return std::nullopt;
  }
  if (!d || d->algorithm != CongestionConfig::Algorithm::kOff) return d;
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

/// Validates the parameters of a change. Reports problems, but does not add the parameters' keys to
/// Reading::known: conf/reference.yaml need not list them for `changes`, because it lists them for the
/// section of a QP.
void look_over(Reading& reading, const Node& node) {
  Reading own;
  Section s(own, node, pattern_of(node));
  if (auto d = read_changed(s, node)) {
    const bool fixed = refuse_fixed(s, *d);
    read_congestion_parameters(s, *d);
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
  const Node* const dcqcn = s.find("dcqcn");
  const Node* const node = s.given("congestion") ? s.find("congestion") : dcqcn;
  if (node == nullptr) {
    s.missing("dcqcn", "{algorithm: firmware, dcqcn_bypass: true}");
  } else if (dcqcn != nullptr && node != dcqcn) {
    s.reading().problem(node->where, "a change has one section, but `dcqcn` is given as well",
                        "write two elements of `changes`");
  } else {
    draft.congestion = *node;
    change.key = node->name;
    look_over(s.reading(), *node);
    for (const Node& child : node->children) change.given.emplace_back(child.name, child.text);
  }
  s.close();
  return draft;
}

namespace {

/// True if `a` and `b` have the same algorithm, so that a change that is valid for one is also valid for the
/// other.
bool same_algorithm(const CongestionConfig& a, const CongestionConfig& b) {
  return a.algorithm == b.algorithm && a.other.algorithm == b.other.algorithm;
}

}  // namespace

void apply_change(Reading& reading, const ChangeDraft& draft, CongestionConfig& d) {
  Section s(reading, draft.congestion, pattern_of(draft.congestion));
  const auto changed = read_changed(s, draft.congestion);
  if (!changed) return;
  if (!same_algorithm(*changed, d)) {
    const bool off = d.algorithm == CongestionConfig::Algorithm::kOff;
    return reading.problem(s.find("algorithm")->where,
                           std::string("a QP of \"") + draft.board + "\" that this selects has " +
                               (off ? "no congestion control" : "the algorithm " + d.name()),
                           "write that algorithm, or select QPs that use this one");
  }
  read_congestion_parameters(s, d);
  set_given(reading, d);
}

CongestionConfig change_congestion(const CongestionConfig& now,
                                   const std::vector<std::pair<std::string, std::string>>& given) {
  Node section = scalar(now.key(), {});
  section.kind = Node::Kind::kMap;
  section.children.push_back(now.plugin.empty() ? scalar("algorithm", now.name())
                                                : scalar("plugin", now.plugin));
  for (const auto& [key, value] : given) {
    if (key == "algorithm" || key == "plugin")
      throw ConfigError({{{"", 0, key}, "cannot be changed", "remove it"}});
    section.children.push_back(scalar(key, value));
  }
  Node change;
  change.kind = Node::Kind::kMap;
  change.children = {scalar("at", "0"), scalar("board", "it"), std::move(section)};
  Reading reading;
  const ChangeDraft draft = read_change(Section(reading, change, "changes[]"));
  CongestionConfig changed = now;
  if (reading.problems.empty()) apply_change(reading, draft, changed);
  if (!reading.problems.empty()) throw ConfigError(reading.problems);
  return changed;
}

namespace {

using Parts = std::vector<ChangeConfig::Part>;

class Changes {
 public:
  Changes(Reading& reading, const Draft& draft, RunConfig& out)
      : reading_(reading), draft_(draft), out_(out) {
    std::size_t next = 0;
    for (const BoardDraft& board : draft.boards) {
      for (std::uint32_t i = 0; i < board.endpoint.count; ++i, ++next) {
        boards_[board.endpoint.config.name].push_back(next);
        if (board.endpoint.count > 1) boards_[out.boards[next].endpoint.name].push_back(next);
      }
    }
    for (const BoardConfig& board : out.boards) {
      Parts parts;
      std::uint32_t first = 0;
      for (const QpConfig& qp : board.qps) {
        parts.push_back({first, qp.count, qp.congestion ? *qp.congestion : board.congestion});
        first += qp.count;
      }
      now_.push_back(std::move(parts));
    }
  }

  /// Resolves the changes in the order of their times, because each change modifies the parameters that
  /// earlier changes have left. Stores the resolved changes in file order.
  void run() {
    std::vector<std::size_t> order(draft_.changes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return draft_.changes[a].config.at < draft_.changes[b].config.at;
    });
    std::map<std::size_t, std::vector<ChangeConfig>> made;
    for (const std::size_t i : order) made[i] = make(draft_.changes[i]);
    for (auto& [i, changes] : made) {
      std::move(changes.begin(), changes.end(), std::back_inserter(out_.changes));
    }
  }

 private:
  /// Returns one change per replica of the board.
  std::vector<ChangeConfig> make(const ChangeDraft& draft) {
    if (out_.run.duration && draft.config.at >= *out_.run.duration) {
      reading_.problem(out_.place(draft.config.where, "at"), "the run has ended by then",
                       "write a time before `run.duration`");
    }
    const auto found = boards_.find(draft.board);
    if (found == boards_.end()) {
      unknown_board(draft);
      return {};
    }
    std::vector<ChangeConfig> changes;
    for (const std::size_t b : found->second) {
      ChangeConfig change = draft.config;
      change.board = b;
      if (!cut(draft, now_[b])) return {};
      for (ChangeConfig::Part& part : now_[b]) {
        if (change.qp && part.first != *change.qp) continue;
        apply_change(reading_, draft, part.congestion);
        change.parts.push_back(part);
      }
      changes.push_back(std::move(change));
    }
    return changes;
  }

  void unknown_board(const ChangeDraft& draft) {
    std::vector<std::string> names;
    for (const auto& [name, indices] : boards_) names.push_back(name);
    std::string fix;
    if (const std::string* near = nearest(draft.board, names)) {
      fix = "did you mean `" + *near + "`?";
    } else {
      for (const std::string& n : names) fix += (fix.empty() ? "write one of " : ", ") + n;
      if (names.empty()) fix = "this file has none; add it";
    }
    reading_.problem(draft.board_where, "no board \"" + draft.board + '"', fix);
  }

  /// Splits the board's QP ranges so that the changed QP has a range of its own. Reports a problem and
  /// returns false if there is no such QP, or if it shares its rate with other QPs.
  bool cut(const ChangeDraft& draft, Parts& parts) {
    if (!draft.config.qp) {
      if (parts.empty())
        reading_.problem(draft.board_where, "board \"" + draft.board + "\" has no QPs", "name another board");
      return !parts.empty();
    }
    const std::uint32_t qp = *draft.config.qp;
    const Where where = out_.place(draft.config.where, "qps");
    const auto it = std::find_if(parts.begin(), parts.end(), [qp](const ChangeConfig::Part& p) {
      return qp >= p.first && qp - p.first < p.count;
    });
    if (it == parts.end()) {
      const std::uint32_t count = parts.empty() ? 0 : parts.back().first + parts.back().count;
      reading_.problem(where, "board \"" + draft.board + "\" has no QP " + std::to_string(qp),
                       "QPs are numbered from 0; it has " + std::to_string(count));
      return false;
    }
    if (it->congestion.scope != CongestionConfig::Scope::kQp) {
      reading_.problem(where, "QP " + std::to_string(qp) + " shares its rate with other QPs",
                       "write `qps: all`, or give the QP a `scope: qp`");
      return false;
    }
    const ChangeConfig::Part whole = *it;
    auto at = parts.erase(it);
    const auto put = [&](std::uint32_t first, std::uint32_t count) {
      if (count != 0) at = parts.insert(at, {first, count, whole.congestion}) + 1;
    };
    put(whole.first, qp - whole.first);
    put(qp, 1);
    put(qp + 1, whole.count - 1 - (qp - whole.first));
    return true;
  }

  Reading& reading_;
  const Draft& draft_;
  RunConfig& out_;
  std::map<std::string, std::vector<std::size_t>> boards_;
  /// For each board: parameters of its QPs after the changes that have been resolved so far.
  std::vector<Parts> now_;
};

}  // namespace

void resolve_changes(Reading& reading, const Draft& draft, RunConfig& config) {
  Changes(reading, draft, config).run();
}

}  // namespace softfeb::config
