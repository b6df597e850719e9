// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "hello.hpp"
#include "roce/message_layout.hpp"
#include "roce/message_map.hpp"
#include "roce/payload_check.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::sink {

/// The expected payload of the client's messages, with the memory in which it is stored.
class ExpectedPayload {
 public:
  /// `file` is the argument of --expect. If it is empty, file payloads are not checked. Throws Refusal.
  ExpectedPayload(const Hello& hello, const std::string& file);

  /// Returns the expected payload, or null if the payload is not checked.
  const roce::PayloadStream* stream() const { return source_.get(); }

 private:
  std::vector<std::uint8_t> arena_;
  std::unique_ptr<board::PayloadSource> source_;
};

/// Memory is filled with this byte before a run, to detect slots that were never written.
inline constexpr std::uint8_t kUntouched = 0xee;

/// Receive accounting of one QP: which messages arrived, and whether the memory of the QP contains the
/// expected data. Message n is written to slot n mod slots, and a slot has message_size bytes. Sans-I/O.
///
/// With RC, immediates and fewer receives than slots, a message cannot be overwritten before it is checked.
/// Each message is then checked on arrival (`live`). Otherwise, each slot is checked once at the end, against
/// the last message that arrived in it.
class ReceiveAccounting {
 public:
  /// `stream` and `memory` must outlive this object. If `stream` is null, bytes are not checked. `index` is
  /// the index of the QP in its session, and `slots` is the number of slots in its memory. If `live` is true,
  /// each message is checked on arrival, otherwise each slot once at the end.
  ReceiveAccounting(const Hello& hello, std::size_t index, std::uint64_t slots, bool live,
                    MutableByteSpan memory, const roce::PayloadStream* stream);

  /// Accounts for a completed WRITE with immediate of `length` bytes. Returns the number of the message.
  std::uint64_t on_immediate(std::uint32_t immediate, std::uint32_t length);

  /// Performs all remaining checks after the run. `sent` is the number of messages sent, if known.
  void finish(std::optional<std::uint64_t> sent);

  /// Returns the bytes of the QP's memory to which message n was written. A later message in the same slot
  /// may have overwritten them.
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
  std::uint64_t messages() const { return messages_; }  ///< number of messages that arrived
  std::uint64_t bytes() const { return bytes_; }        ///< number of payload bytes of these messages
  std::uint64_t missing() const { return missing_; }
  /// Tracks missing messages; used only with immediates.
  const roce::MessageMap& map() const { return map_; }
  const roce::PayloadCheck* check() const { return check_ ? &*check_ : nullptr; }
  /// Returns the slots that were never written. At most 64 of them are listed.
  const std::vector<std::uint64_t>& untouched_slots() const { return untouched_; }
  std::uint64_t slots() const { return slots_; }
  /// Stream offset of message 0, if known.
  const std::optional<std::uint64_t>& origin() const { return origin_; }
  /// Returns the memory from its beginning to the end of the longest message in the highest slot that was
  /// used. Empty if no slot was used.
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
  std::optional<std::uint64_t> origin_;  ///< empty if not yet known
  std::size_t index_;
  std::uint64_t slots_;
  bool live_;
  MutableByteSpan memory_;
  roce::MessageLayout layout_;
  std::optional<roce::PayloadCheck> check_;
  roce::MessageMap map_{1024};
  std::vector<std::uint64_t>
      last_in_slot_;  ///< last message in each slot, or kNever; empty if messages are checked live
  std::uint64_t used_slots_ = 0;
  std::uint32_t tail_ = 0;  ///< length of the longest message in the highest slot that was used
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
