// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/endpoint_archive.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::experiment {

namespace {

/// Memory is copied in pieces of this size. Pieces that contain only zeros are left out, because the memory
/// of a receiver is zero before the run.
constexpr std::uint64_t kPiece = 4096;
constexpr std::uint64_t kNoMore = UINT64_MAX;

void write_memory(const endpoints::ReceiverMemory& memory, ArchiveWriter& out) {
  for (std::uint64_t at = 0; at < memory.size(); at += kPiece) {
    const std::uint8_t* const piece = memory.data() + at;
    const std::uint64_t size = std::min(kPiece, memory.size() - at);
    if (std::all_of(piece, piece + size, [](std::uint8_t byte) { return byte == 0; })) continue;
    out.item(at);
    out.bytes(piece, size);
  }
  out.item(kNoMore);
}

void read_memory(endpoints::ReceiverMemory& memory, ArchiveReader& in) {
  for (;;) {
    std::uint64_t at = 0;
    in.item(at);
    if (at >= memory.size()) return;
    in.bytes(memory.data() + at, std::min(kPiece, memory.size() - at));
  }
}

template <class Archive>
void archive_messages(endpoints::BoardMessages& messages, Archive& a) {
  if (messages.times) a.item(*messages.times);
  for (const auto& arrivals : messages.arrivals) a.item(*arrivals);
}

}  // namespace

void write_endpoint(endpoints::Endpoints& endpoints, std::size_t e, ArchiveWriter& out) {
  const std::size_t boards = endpoints.boards.size();
  if (e < boards) return archive_messages(endpoints.messages[e], out);
  endpoints.receivers[e - boards]->archive(out);
  write_memory(*endpoints.memories[e - boards], out);
}

void read_endpoint(endpoints::Endpoints& endpoints, std::size_t e, ArchiveReader& in) {
  const std::size_t boards = endpoints.boards.size();
  if (e < boards) return archive_messages(endpoints.messages[e], in);
  endpoints.receivers[e - boards]->archive(in);
  read_memory(*endpoints.memories[e - boards], in);
}

}  // namespace softfeb::experiment
