// SPDX-License-Identifier: BSD-3-Clause
#include "receive_accounting.hpp"

#include <algorithm>
#include <filesystem>

namespace softfeb::sink {

ExpectedPayload::ExpectedPayload(const Hello& hello, const std::string& file) {
  const PayloadRule& rule = hello.payload;
  if (!rule.kind) return;
  const bool from_file = *rule.kind == board::PayloadKind::kFile;
  if (from_file && file.empty()) return;
  try {
    if (from_file && std::filesystem::file_size(file) != rule.file_size)
      throw Refusal("the client sends a file of " + std::to_string(rule.file_size) + " bytes, --expect " +
                    file + " has another size; give the same file to both");
    board::PayloadSpec spec;
    spec.kind = *rule.kind;
    spec.message_length = hello.message_size;
    spec.pmtu = hello.pmtu;
    spec.path = file;
    spec.seed = rule.seed;
    spec.window = rule.window;
    source_ = board::make_payload(spec);
    arena_.resize(source_->arena_bytes());
    source_->fill(arena_);
  } catch (const board::PayloadError& error) {
    throw Refusal(std::string("payload: ") + error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw Refusal(std::string("--expect: ") + error.what());
  }
}

ReceiveAccounting::ReceiveAccounting(const Hello& hello, std::size_t index, std::uint64_t slots, bool live,
                                     MutableByteSpan memory, const roce::PayloadStream* stream)
    : transport_(hello.transport),
      immediate_(hello.immediate),
      pmtu_(hello.pmtu),
      index_(index),
      slots_(slots),
      live_(live),
      memory_(memory),
      layout_(hello.message_size, hello.pmtu, hello.payload.file_size) {
  if (stream != nullptr) check_.emplace(*stream);
  if (!hello.payload.any_origin) origin_ = hello.payload.origin;
}

std::uint64_t ReceiveAccounting::on_immediate(std::uint32_t immediate, std::uint32_t length) {
  const std::uint64_t n = number_of(immediate);
  ++immediates_;
  map_.arrived(n);
  if (const auto want = expected_immediate(n); want && *want != immediate) {
    ++wrong_immediates_;
    if (!first_wrong_) first_wrong_ = WrongImmediate{n, immediate, *want};
  }
  if (length != layout_.length_of(n)) ++wrong_lengths_;
  ++messages_;
  bytes_ += length;
  const std::uint64_t slot = n % slots_;
  if (slot >= used_slots_) {
    used_slots_ = slot + 1;
    tail_ = layout_.length_of(n);
  } else if (slot + 1 == used_slots_) {
    tail_ = std::max(tail_, layout_.length_of(n));
  }
  if (live_) {
    check_message(n);
  } else {
    if (last_in_slot_.size() <= slot) last_in_slot_.resize(slot + 1, kNever);
    last_in_slot_[slot] = n;
  }
  return n;
}

/// Returns the number of a message. RC loses no messages, so they are numbered in the order of arrival. On
/// UC, the number is derived from the counter in the immediate. UC messages without a counter, or with an
/// implausible counter, are also numbered in the order of arrival.
std::uint64_t ReceiveAccounting::number_of(std::uint32_t immediate) {
  if (transport_ == roce::Transport::kUc && immediate_.kind == ImmediateRule::Kind::kCounter) {
    const std::uint64_t limit = map_.next() + (std::uint64_t{1} << 24);
    const auto n = roce::unwrap_counter(immediate - immediate_.first, map_.next());
    if (n && *n < limit) return *n;
  }
  return immediates_;
}

std::optional<std::uint32_t> ReceiveAccounting::expected_immediate(std::uint64_t n) const {
  switch (immediate_.kind) {
    case ImmediateRule::Kind::kValue:
      return immediate_.first;
    case ImmediateRule::Kind::kCounter:
      return static_cast<std::uint32_t>(immediate_.first + n);
    case ImmediateRule::Kind::kChannel:
      return static_cast<std::uint32_t>(immediate_.first + index_);
    case ImmediateRule::Kind::kNone:
    case ImmediateRule::Kind::kAny:
    case ImmediateRule::Kind::kTransfer:  // checked by RegistrationReceiver
      break;
  }
  return std::nullopt;
}

ByteSpan ReceiveAccounting::message(std::uint64_t n) const {
  return ByteSpan(memory_).subspan(n % slots_ * layout_.message_length(), layout_.length_of(n));
}

void ReceiveAccounting::check_message(std::uint64_t n) {
  if (!check_) return;
  const ByteSpan bytes = message(n);
  if (!origin_) find_origin(n);
  const std::uint64_t begin = origin_.value_or(0) + n * layout_.message_length();
  for (std::size_t at = 0; at < bytes.size(); at += pmtu_) {
    const ByteSpan piece = bytes.subspan(at, std::min<std::size_t>(pmtu_, bytes.size() - at));
    check_->check(n, static_cast<std::uint32_t>(at), begin + at, static_cast<std::uint32_t>(piece.size()),
                  piece);
  }
}

/// Derives the origin of the stream from the first byte of message `n`. Byte k of the counter payload is k
/// mod 256, so one byte is enough.
void ReceiveAccounting::find_origin(std::uint64_t n) {
  if (message(n).empty()) return;
  const std::uint64_t begin = n * layout_.message_length();
  origin_ = static_cast<std::uint8_t>(message(n).front() - begin);
}

void ReceiveAccounting::finish(std::optional<std::uint64_t> sent) {
  if (immediate_.present()) {
    if (sent) map_.finish(*sent);
    missing_ = map_.missing();
  } else if (sent) {
    assume_sent(*sent);
  }
  if (!live_) check_slots();
}

/// Assumes that all `sent` messages arrived, except those whose slot was never written. Without immediates,
/// only the contents of the memory show what arrived.
void ReceiveAccounting::assume_sent(std::uint64_t sent) {
  if (sent == 0) return;
  const std::uint64_t pass = layout_.messages_per_pass();
  const std::uint64_t short_by = pass == 0 ? 0 : layout_.message_length() - layout_.length_of(pass - 1);
  messages_ = sent;
  bytes_ = sent * layout_.message_length() - (pass == 0 ? 0 : sent / pass * short_by);
  used_slots_ = std::min(sent, slots_);
  last_in_slot_.assign(used_slots_, kNever);
  for (std::uint64_t n = sent - used_slots_; n < sent; ++n) last_in_slot_[n % slots_] = n;
  // If the ring has wrapped, the last slot may contain an earlier, longer message. Use the maximum message
  // length in this case.
  tail_ = sent > slots_ ? layout_.message_length() : layout_.length_of(used_slots_ - 1);
  for (std::uint64_t slot = 0; slot < used_slots_; ++slot) {
    const std::uint64_t n = last_in_slot_[slot];
    if (message(n).empty() || !untouched(message(n))) continue;
    ++missing_;
    --messages_;
    bytes_ -= layout_.length_of(n);
    if (untouched_.size() < kListedSlots) untouched_.push_back(slot);
    last_in_slot_[slot] = kNever;
  }
}

void ReceiveAccounting::check_slots() {
  for (const std::uint64_t n : last_in_slot_) {
    if (n != kNever) check_message(n);
  }
}

bool ReceiveAccounting::untouched(ByteSpan bytes) const {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == kUntouched; });
}

ByteSpan ReceiveAccounting::written() const {
  if (used_slots_ == 0) return {};
  return ByteSpan(memory_).first((used_slots_ - 1) * layout_.message_length() + tail_);
}

}  // namespace softfeb::sink
