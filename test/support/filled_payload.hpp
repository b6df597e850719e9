// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace softfeb::test {

/// A filled payload source and the arena that contains its payload.
struct FilledPayload {
  explicit FilledPayload(std::unique_ptr<board::PayloadSource> from)
      : source(std::move(from)), arena(source->arena_bytes()) {
    source->fill(arena);
  }
  explicit FilledPayload(const board::PayloadSpec& spec) : FilledPayload(board::make_payload(spec)) {}
  /// Returns a source with an endless sequence of messages of `length` bytes, which contain the counter
  /// pattern.
  static FilledPayload counter(std::uint32_t length, std::uint32_t pmtu) {
    return FilledPayload(board::PayloadSpec{
        .kind = board::PayloadKind::kCounter, .message_length = length, .pmtu = pmtu, .path = {}});
  }
  /// Returns a source with an endless sequence of messages of `length` zero bytes.
  static FilledPayload zeros(std::uint32_t length, std::uint32_t pmtu) {
    return FilledPayload(board::PayloadSpec{
        .kind = board::PayloadKind::kZero, .message_length = length, .pmtu = pmtu, .path = {}});
  }

  board::PayloadSource& operator*() const { return *source; }

  std::unique_ptr<board::PayloadSource> source;
  std::vector<std::uint8_t> arena;
};

}  // namespace softfeb::test
