// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "hello.hpp"
#include "roce/message_layout.hpp"
#include "roce/message_map.hpp"
#include "roce/payload_check.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::sink {

/// Memory is filled with this before a run, so that a slot which nothing was written to shows.
inline constexpr std::uint8_t kUntouched = 0xee;

/// The books of one QP: what its memory should hold, and what came. Message n lies in slot n mod slots, each
/// of message_size bytes. Sans-I/O.
///
/// Bytes are checked message by message when they arrive, where nothing can overwrite them before (`live`:
/// RC with immediates and fewer receives posted than there are slots); otherwise once at the end, each slot
/// against the last message that came there.
class ReceiveAccounting {
 public:
  /// `stream` (null: bytes are not checked) and `memory` outlive the ledger. `index` of the QP in its
  /// session.
  ReceiveAccounting(const Hello& hello, std::size_t index, std::uint64_t slots, bool live,
                    MutableByteSpan memory, const roce::PayloadStream* stream);

  /// A WRITE with immediate has completed; `length` bytes as the completion has them. Returns the message's
  /// number.
  std::uint64_t on_immediate(std::uint32_t immediate, std::uint32_t length);

  /// The run is over; `sent` messages, where that is known. Checks what is still to be checked.
  void finish(std::optional<std::uint64_t> sent);

  /// Bytes of message n in memory.
  ByteSpan message(std::uint64_t n) const;

  struct WrongImmediate {
    std::uint64_t message = 0;
    std::uint32_t got = 0;
    std::uint32_t want = 0;
  };

  std::uint64_t immediates() const { return immediates_; }
  std::uint64_t wrong_immediates() const { return wrong_immediates_; }
  const std::optional<WrongImmediate>& first_wrong_immediate() const { return first_wrong_; }
  std::uint64_t wrong_lengths() const { return wrong_lengths_; }
  std::uint64_t messages() const { return messages_; }  ///< arrived
  std::uint64_t bytes() const { return bytes_; }        ///< of them
  std::uint64_t missing() const { return missing_; }
  const roce::MessageMap& map() const { return map_; }  ///< with immediates: which did not come
  const roce::PayloadCheck* check() const { return check_ ? &*check_ : nullptr; }
  const std::vector<std::uint64_t>& untouched_slots() const { return untouched_; }  ///< the first 64
  std::uint64_t slots() const { return slots_; }
  /// Stream byte with which message 0 begins, where it is known.
  const std::optional<std::uint64_t>& origin() const { return origin_; }
  /// The part of the memory that was written to by now: the whole ring, or the messages so far.
  ByteSpan written() const;

 private:
  static constexpr std::uint64_t kNever = UINT64_MAX;
  static constexpr std::size_t kListedSlots = 64;

  std::uint64_t number_of(std::uint32_t immediate);
  std::optional<std::uint32_t> expected_immediate(std::uint64_t n) const;
  void check_message(std::uint64_t n);
  void find_origin(std::uint64_t n);
  void assume_sent(std::uint64_t sent);
  void check_slots();
  bool untouched(ByteSpan bytes) const;

  roce::Transport transport_;
  ImmediateRule immediate_;
  std::uint32_t pmtu_;
  std::optional<std::uint64_t> origin_;  ///< nothing: to be found out
  std::size_t index_;
  std::uint64_t slots_;
  bool live_;
  MutableByteSpan memory_;
  roce::MessageLayout layout_;
  std::optional<roce::PayloadCheck> check_;
  roce::MessageMap map_{1024};
  std::vector<std::uint64_t>
      last_in_slot_;  ///< message number, or kNever; empty where messages are checked live
  std::uint64_t used_slots_ = 0;
  std::uint32_t tail_ = 0;  ///< bytes used of the last used slot
  std::uint64_t immediates_ = 0;
  std::uint64_t wrong_immediates_ = 0;
  std::optional<WrongImmediate> first_wrong_;
  std::uint64_t wrong_lengths_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t missing_ = 0;
  std::vector<std::uint64_t> untouched_;
};

}  // namespace softfeb::sink
