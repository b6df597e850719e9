// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/expectation.hpp"

#include "roce/opcode.hpp"

#include <algorithm>
#include <array>

namespace softfeb::conformance {

namespace {

using Kind = AnswerPattern::Kind;

struct AnswerKindRow {
  std::string_view name;
  Kind kind;
  std::uint8_t syndrome;
  std::uint8_t opcode;
};

constexpr std::array<AnswerKindRow, 16> kAnswerKinds = {{
    {"none", Kind::kNone, 0, 0},
    {"any", Kind::kAny, 0, 0},
    {"ACK", Kind::kAck, 0, 0x11},
    {"ACKS", Kind::kAck, 0, 0x11},
    {"NAK60", Kind::kNak, 0x60, 0x11},
    {"NAK61", Kind::kNak, 0x61, 0x11},
    {"NAK62", Kind::kNak, 0x62, 0x11},
    {"NAK63", Kind::kNak, 0x63, 0x11},
    {"NAK64", Kind::kNak, 0x64, 0x11},
    {"RNR", Kind::kRnr, 0, 0x11},
    {"CNP", Kind::kCnp, 0, 0x81},
    {"CNPS", Kind::kCnp, 0, 0x81},
    {"READ_FIRST", Kind::kReadFirst, 0, 0x0d},
    {"READ_MIDDLE", Kind::kReadMiddle, 0, 0x0e},
    {"READ_LAST", Kind::kReadLast, 0, 0x0f},
    {"READ_ONLY", Kind::kReadOnly, 0, 0x10},
}};
constexpr AnswerKindRow kAtomic = {"ATOMIC_ACK", Kind::kAtomicAck, 0, 0x12};

const AnswerKindRow* find_kind(std::string_view name) {
  if (name == kAtomic.name) return &kAtomic;
  const auto* const row = std::find_if(kAnswerKinds.begin(), kAnswerKinds.end(),
                                       [&](const AnswerKindRow& r) { return r.name == name; });
  return row == kAnswerKinds.end() ? nullptr : row;
}

[[noreturn]] void refuse_answer(std::string_view text, const std::string& what) {
  throw NotationError("'" + std::string(text) + "' is not an answer: " + what +
                      "; fix: write for example ACK e+1 msn 2, NAK60 e+1, RNR e code 12, CNP, none or any");
}

void parse_psn(std::string_view text, AnswerPattern& out) {
  const std::size_t dots = text.find("..");
  out.first = Expression::parse(text.substr(0, dots));
  if (dots != std::string_view::npos) out.last = Expression::parse(text.substr(dots + 2));
}

AnswerPattern parse_pattern(std::string_view text) {
  const auto words = split_words(text, ' ');
  const AnswerKindRow* const row = words.empty() ? nullptr : find_kind(words[0]);
  if (row == nullptr) refuse_answer(text, "unknown kind");
  AnswerPattern out;
  out.kind = row->kind;
  out.syndrome = row->syndrome;
  std::size_t k = 1;
  const bool plain = out.kind == Kind::kNone || out.kind == Kind::kAny || out.kind == Kind::kCnp;
  if (plain && words.size() > 1)
    refuse_answer(text, std::string(words[0]) + " has neither a PSN nor an MSN to compare");
  const auto is_key = [](std::string_view word) {
    return word == "msn" || word == "code" || word == "credits";
  };
  if (k < words.size() && !is_key(words[k])) parse_psn(words[k++], out);
  for (; k + 1 < words.size(); k += 2) {
    if (words[k] == "msn") {
      out.msn = Expression::parse(words[k + 1]);
    } else if (words[k] == "code" && out.kind == Kind::kRnr) {
      out.code = Expression::parse(words[k + 1]);
    } else if (words[k] == "credits" && out.kind == Kind::kAck) {
      out.credits = Expression::parse(words[k + 1]);
    } else {
      refuse_answer(text, "'" + std::string(words[k]) + "' does not belong here");
    }
  }
  if (k < words.size()) refuse_answer(text, "'" + std::string(words[k]) + "' has no value");
  if (out.last && out.kind != Kind::kAck) refuse_answer(text, "only ACKs have a range of PSNs");
  out.repeated = row->name == "ACKS" || row->name == "CNPS";
  if (row->name != "ACKS") return out;
  if (!out.first) refuse_answer(text, "ACKS need a PSN");
  if (!out.last) out.last = out.first;
  return out;
}

std::uint8_t opcode_of(Kind kind) {
  if (kind == Kind::kAtomicAck) return kAtomic.opcode;
  return std::find_if(kAnswerKinds.begin(), kAnswerKinds.end(),
                      [&](const AnswerKindRow& r) { return r.kind == kind; })
      ->opcode;
}

bool right_kind(const AnswerPattern& pattern, const Answer& answer) {
  if (answer.opcode != opcode_of(pattern.kind)) return false;
  switch (pattern.kind) {
    case Kind::kAck:
      return answer.is_ack();
    case Kind::kNak:
      return answer.aeth && answer.aeth->syndrome == pattern.syndrome;
    case Kind::kRnr:
      return answer.aeth && answer.aeth->kind() == roce::AethKind::kRnrNak;
    default:
      return true;
  }
}

/// Returns the last PSN that `answer` acknowledges. A NAK acknowledges all packets before its PSN (IBA
/// 9.7.5.1).
roce::Psn acknowledged(const Answer& answer) {
  const bool nak = answer.opcode == roce::kOpcodeRcAck && !answer.is_ack();
  return (answer.psn - (nak ? 1 : 0)) & roce::kPsnMask;
}

/// Returns the number of credits that the syndrome of an ACK grants (IBA table 45), or UINT64_MAX if the
/// syndrome contains no credit count.
std::uint64_t credits_of(const roce::Aeth& aeth) {
  const unsigned code = aeth.value();
  if (code == roce::Aeth::kNoCredits) return UINT64_MAX;
  if (code < 4) return code;
  return code % 2 == 0 ? std::uint64_t{1} << (code / 2) : std::uint64_t{3} << ((code - 3) / 2);
}

/// True if `a` equals `b` or precedes `b` in the circular order of PSNs.
bool not_after(roce::Psn a, roce::Psn b) { return ((b - a) & roce::kPsnMask) < (1U << 23); }

/// Checks that an item of an expectation is valid. CNPs may arrive at any point of the sequence, so an item
/// with a CNP must have no alternative except `none`. After an item that accepts all answers, only items with
/// a CNP may follow, because no answer would reach other items.
void check_item(const std::vector<AnswerPattern>& alternatives, std::string_view text, bool after_any) {
  const auto has = [&](Kind kind) {
    return std::any_of(alternatives.begin(), alternatives.end(),
                       [&](const AnswerPattern& p) { return p.kind == kind; });
  };
  const bool mixed = std::any_of(alternatives.begin(), alternatives.end(), [](const AnswerPattern& p) {
    return p.kind != Kind::kCnp && p.kind != Kind::kNone;
  });
  if (has(Kind::kCnp) && mixed) refuse_answer(text, "a CNP is an alternative only to none");
  if (after_any && !has(Kind::kCnp)) refuse_answer(text, "it follows any, which takes every answer");
}

}  // namespace

Expectation Expectation::parse(std::string_view text) {
  Expectation out;
  bool after_any = false;
  out.text = text;
  if (trimmed(text) == "silence") return out;
  for (const std::string_view item : split_words(text, ';')) {
    Item next{.alternatives = {}, .text = std::string(item)};
    for (const std::string_view one : split_words(item, '|')) next.alternatives.push_back(parse_pattern(one));
    check_item(next.alternatives, item, after_any);
    after_any = after_any || std::any_of(next.alternatives.begin(), next.alternatives.end(),
                                         [](const AnswerPattern& p) { return p.kind == Kind::kAny; });
    out.items.push_back(std::move(next));
  }
  if (out.items.empty()) throw NotationError("an expectation is empty; fix: write silence");
  return out;
}

bool Matcher::is_cnp(const Item& item) {
  return std::any_of(item.alternatives.begin(), item.alternatives.end(),
                     [](const AnswerPattern& p) { return p.kind == Kind::kCnp; });
}

bool Matcher::repeats(const Item& item) {
  return std::any_of(item.alternatives.begin(), item.alternatives.end(),
                     [](const AnswerPattern& p) { return p.repeated; });
}

bool Matcher::accepts(const AnswerPattern& pattern, const Answer& answer,
                      std::optional<roce::Psn> from) const {
  if (pattern.kind == Kind::kAny) return true;
  if (pattern.kind == Kind::kNone || !right_kind(pattern, answer)) return false;
  if (pattern.last) {
    if (!not_after(from.value_or(psn(*pattern.first)), answer.psn) ||
        !not_after(answer.psn, psn(*pattern.last)))
      return false;
    if (answer.psn != psn(*pattern.last)) return true;
  } else if (pattern.first && psn(*pattern.first) != answer.psn) {
    return false;
  }
  if (pattern.msn && answer.aeth && answer.aeth->msn != (pattern.msn->value(symbols_) & roce::kPsnMask))
    return false;
  if (pattern.credits) {
    const std::uint64_t credits = credits_of(*answer.aeth);
    if (credits != UINT64_MAX && credits > pattern.credits->value(symbols_)) return false;
  }
  return !pattern.code || answer.aeth->value() == pattern.code->value(symbols_);
}

bool Matcher::accepts(const Item& item, const Answer& answer, std::optional<roce::Psn> from) const {
  return std::any_of(item.alternatives.begin(), item.alternatives.end(),
                     [&](const AnswerPattern& p) { return accepts(p, answer, from); });
}

bool Matcher::ends_range(const Item& item, const Answer& answer) const {
  return std::none_of(item.alternatives.begin(), item.alternatives.end(), [&](const AnswerPattern& p) {
    return p.kind == Kind::kAny || p.repeated ||
           (p.last && psn(*p.last) != answer.psn && accepts(p, answer, std::nullopt));
  });
}

bool Matcher::optional(std::size_t item) const {
  const auto& alternatives = expectation_->items[item].alternatives;
  return std::any_of(alternatives.begin(), alternatives.end(),
                     [](const AnswerPattern& p) { return p.kind == Kind::kNone || p.kind == Kind::kAny; });
}

/// True if `answer` is permitted although the answer for `item` has not arrived.
bool Matcher::may_skip(std::size_t item, const Answer& answer) const {
  if (is_cnp(expectation_->items[item]) || optional(item)) return true;
  const auto& alternatives = expectation_->items[item].alternatives;
  return std::all_of(alternatives.begin(), alternatives.end(), [&](const AnswerPattern& p) {
    return p.kind == Kind::kAck && p.first &&
           not_after(psn(p.last ? *p.last : *p.first), acknowledged(answer));
  });
}

bool Matcher::take_cnp() {
  for (std::size_t k = 0; k < cnps_.size(); ++k) {
    const Item& item = expectation_->items[k];
    if (!is_cnp(item) || (cnps_[k] != 0 && !repeats(item))) continue;
    cnps_[k] = 1;
    return true;
  }
  return std::any_of(expectation_->items.begin(), expectation_->items.end(), [](const Item& item) {
    return std::any_of(item.alternatives.begin(), item.alternatives.end(),
                       [](const AnswerPattern& p) { return p.kind == Kind::kAny; });
  });
}

bool Matcher::take(const Answer& answer) {
  if (answer.is_cnp()) return take_cnp();
  for (std::size_t k = next_; k < expectation_->items.size(); ++k) {
    const Item& item = expectation_->items[k];
    if (!is_cnp(item) && accepts(item, answer, k == next_ ? in_range_ : std::nullopt)) {
      const bool done = ends_range(item, answer);
      next_ = done ? k + 1 : k;
      in_range_ = done ? std::nullopt : std::optional(answer.psn);
      return true;
    }
    if (!may_skip(k, answer)) return false;
  }
  return false;
}

bool Matcher::has_come(std::size_t item) const {
  const auto& alternatives = expectation_->items[item].alternatives;
  if (is_cnp(expectation_->items[item])) return cnps_[item] != 0;
  if (item != next_) return item < next_;
  return in_range_ && std::any_of(alternatives.begin(), alternatives.end(), [&](const AnswerPattern& p) {
           return p.repeated && psn(*p.last) == *in_range_;
         });
}

bool Matcher::complete() const { return missing().empty(); }

std::string Matcher::missing() const {
  std::string out;
  for (std::size_t k = 0; k < expectation_->items.size(); ++k) {
    const Item& item = expectation_->items[k];
    if (!has_come(k) && !optional(k)) out += (out.empty() ? "" : "; ") + item.text;
  }
  return out;
}

}  // namespace softfeb::conformance
