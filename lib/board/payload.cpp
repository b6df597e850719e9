// SPDX-License-Identifier: BSD-3-Clause
#include "board/payload.hpp"

#include "board/payload_counter.hpp"
#include "board/payload_file.hpp"
#include "board/payload_prbs31.hpp"
#include "roce/icrc.hpp"
#include "roce/work.hpp"

#include <algorithm>
#include <array>

namespace softfeb::board {
namespace {

/// Payload of zeros. The same arena bytes serve all offsets, and the CRC depends only on the padded length.
class ZeroPayload final : public PayloadSource {
 public:
  explicit ZeroPayload(std::uint32_t message_length);

  std::size_t arena_bytes() const override { return kMaxPacketPayload; }
  void fill(MutableByteSpan arena) override;
  const MessagePlan& plan() const override { return plan_; }
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override;
  std::optional<std::uint32_t> crc(std::uint64_t offset, std::uint32_t length) const override;
  roce::PacketPayload packet(std::uint64_t offset, std::uint32_t length) const override;

 private:
  MessagePlan plan_;
  ByteSpan arena_;
  std::array<std::uint32_t, kMaxPacketPayload / 4 + 1> crc_of_words_{};  ///< indexed by padded length / 4
};

ZeroPayload::ZeroPayload(std::uint32_t message_length) : plan_(MessagePlan::endless(message_length)) {}

void ZeroPayload::fill(MutableByteSpan arena) {
  const MutableByteSpan own = checked_arena(arena, arena_bytes());
  std::fill(own.begin(), own.end(), std::uint8_t{0});
  arena_ = own;
  for (std::size_t i = 1; i < crc_of_words_.size(); ++i) {
    crc_of_words_[i] = roce::crc32(crc_of_words_[i - 1], arena_.first(4));
  }
}

const std::uint8_t* ZeroPayload::bytes(std::uint64_t /*offset*/, std::uint32_t length) const {
  return arena_.empty() || length > kMaxPacketPayload ? nullptr : arena_.data();
}

std::optional<std::uint32_t> ZeroPayload::crc(std::uint64_t /*offset*/, std::uint32_t length) const {
  if (arena_.empty() || length > kMaxPacketPayload) return std::nullopt;
  return crc_of_words_[(length + 3) / 4];
}

roce::PacketPayload ZeroPayload::packet(std::uint64_t offset, std::uint32_t length) const {
  return {ZeroPayload::bytes(offset, length), ZeroPayload::crc(offset, length)};
}

void check(const PayloadSpec& spec) {
  if (spec.message_length > roce::kMaxMessage) {
    throw PayloadError("payload: message of " + std::to_string(spec.message_length) +
                       " bytes; a message has at most 2 GiB (2147483648)");
  }
  if (!roce::pmtu_legal(spec.pmtu)) {
    throw PayloadError("payload: path MTU " + std::to_string(spec.pmtu) +
                       "; use 256, 512, 1024, 2048 or 4096");
  }
}

void check_file(const PayloadSpec& spec) {
  if (spec.path.empty()) throw PayloadError("payload 'file' without a path; give the file to send");
  if (spec.message_length == 0) {
    throw PayloadError("payload file '" + spec.path +
                       "': zero-length messages would never send it; give a message length of at least 1");
  }
}

void check_prbs31(const PayloadSpec& spec) {
  if (spec.seed == 0 || spec.seed > Prbs31::kMask) {
    throw PayloadError("payload 'prbs31': seed " + std::to_string(spec.seed) +
                       "; use 1 to 2147483647 (seed 0 would only give zeros)");
  }
  if (spec.window < kMaxPacketPayload) {
    throw PayloadError("payload 'prbs31': window of " + std::to_string(spec.window) +
                       " bytes; use at least 4096, so that it holds a packet");
  }
}

}  // namespace

std::unique_ptr<PayloadSource> make_payload(const PayloadSpec& spec) {
  check(spec);
  switch (spec.kind) {
    case PayloadKind::kCounter:
      return std::make_unique<CounterPayload>(spec.message_length, spec.pmtu);
    case PayloadKind::kZero:
      return std::make_unique<ZeroPayload>(spec.message_length);
    case PayloadKind::kFile:
      check_file(spec);
      return std::make_unique<FilePayload>(spec.path, spec.message_length, spec.pmtu);
    case PayloadKind::kPrbs31:
      check_prbs31(spec);
      return std::make_unique<Prbs31Payload>(spec.message_length, spec.pmtu, spec.seed, spec.window);
  }
  throw PayloadError("payload: unknown kind; use counter, file, prbs31 or zero");
}

std::unique_ptr<PayloadSource> make_test_pattern(std::uint32_t longest) {
  return std::make_unique<CounterPayload>(longest);
}

MutableByteSpan checked_arena(MutableByteSpan arena, std::size_t needed) {
  if (arena.size() < needed) {
    throw PayloadError("payload arena of " + std::to_string(arena.size()) + " bytes, " +
                       std::to_string(needed) + " needed; make the arena larger");
  }
  return arena.first(needed);
}

}  // namespace softfeb::board
