// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conformance/answer.hpp"
#include "conformance/expression.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::conformance {

/// One answer that a target may give.
struct AnswerPattern {
  enum class Kind : std::uint8_t {
    kNone,  ///< no answer
    kAny,   ///< any number of answers of any kind
    kAck,
    kNak,  ///< `syndrome` determines which NAK
    kRnr,
    kCnp,
    kReadFirst,
    kReadMiddle,
    kReadLast,
    kReadOnly,
    kAtomicAck,
  };
  Kind kind = Kind::kAck;
  std::uint8_t syndrome = 0;
  std::optional<Expression> first;  ///< expected PSN; any PSN if empty
  std::optional<Expression> last;   ///< for kAck: last PSN of a range of ACKs, which the target may coalesce
  bool repeated = false;            ///< more ACKs of the last PSN, or more CNPs, may follow
  std::optional<Expression> msn;    ///< expected MSN; for a range, that of the last ACK
  std::optional<Expression> code;   ///< expected timer code of an RNR NAK
  /// ACKs only: the syndrome must grant no more than this number of credits, or contain no credit count (IBA
  /// 9.7.7.2).
  std::optional<Expression> credits;
};

/// The answers to a stimulus: a sequence of items, each of which lists alternative answers.
///
/// Notation: items are separated by `;`, alternatives by `|`. An alternative is `none`, `any`, or a kind with
/// a PSN: `ACK e+1 msn 2`, `ACK e..e+63 msn 64`, `ACKS e..e` (one ACK or more), `NAK60 e+1`, `RNR e code 12`,
/// `CNP`, `CNPS` (one or more), `READ_FIRST e`. An item with the alternative `none` is optional. `any`
/// accepts all further answers. `silence` as the whole text means that there must be no answer.
///
/// An ACK may be missing if a later answer acknowledges its PSN (coalescing, IBA 9.7.5.1.2). CNPs may arrive
/// at any point of the sequence.
struct Expectation {
  struct Item {
    std::vector<AnswerPattern> alternatives;  ///< not empty
    std::string text;
  };
  std::vector<Item> items;
  std::string text;

  /// Throws NotationError.
  static Expectation parse(std::string_view text);
};

/// Compares answers with an expectation as they arrive.
class Matcher {
 public:
  /// `expectation` must outlive the matcher.
  Matcher(const Expectation& expectation, const Symbols& symbols)
      : expectation_(&expectation), symbols_(symbols), cnps_(expectation.items.size(), 0) {}

  /// Returns true if `answer` is expected at this point.
  bool take(const Answer& answer);
  /// True if no further answer is needed.
  bool complete() const;
  /// Returns the items that are still missing, in the notation; empty if complete() is true.
  std::string missing() const;

 private:
  using Item = Expectation::Item;

  static bool is_cnp(const Item& item);
  static bool repeats(const Item& item);
  /// `from` is the latest PSN of the item's range that an ACK has acknowledged. It is empty if no ACK of the
  /// range has arrived.
  bool accepts(const Item& item, const Answer& answer, std::optional<roce::Psn> from) const;
  bool accepts(const AnswerPattern& pattern, const Answer& answer, std::optional<roce::Psn> from) const;
  bool ends_range(const Item& item, const Answer& answer) const;
  bool may_skip(std::size_t item, const Answer& answer) const;
  bool optional(std::size_t item) const;
  bool has_come(std::size_t item) const;
  bool take_cnp();
  roce::Psn psn(const Expression& e) const {
    return static_cast<roce::Psn>(e.value(symbols_)) & roce::kPsnMask;
  }

  const Expectation* expectation_;
  Symbols symbols_;
  std::size_t next_ = 0;               ///< first item that is not finished
  std::optional<roce::Psn> in_range_;  ///< latest acknowledged PSN, if item next_ is a range; else empty
  std::vector<std::uint8_t> cnps_;     ///< for each item: 1 if its CNP has arrived, otherwise 0
};

}  // namespace softfeb::conformance
