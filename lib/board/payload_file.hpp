// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/packet_crc.hpp"
#include "board/payload.hpp"

#include <string>

namespace softfeb::board {

/// A regular file, loaded completely into the arena. Message n of a pass begins at byte n · message_length of
/// the file; the last message is shorter if the file size is not a multiple of the message length. After the
/// last message, the file is sent again from the beginning; one pass consists of
/// MessagePlan::messages_per_pass() messages.
///
/// The file is read directly into the arena, without a second copy. Later changes to the file do not affect
/// the packets.
class FilePayload final : public PayloadSource {
 public:
  /// Opens the file and reads its size. Throws PayloadError.
  FilePayload(std::string path, std::uint32_t message_length, std::uint32_t pmtu);
  ~FilePayload() override;
  FilePayload(const FilePayload&) = delete;
  FilePayload& operator=(const FilePayload&) = delete;

  std::size_t arena_bytes() const override { return size_; }
  void fill(MutableByteSpan arena) override;
  const MessagePlan& plan() const override { return plan_; }
  /// Returns null if the range extends past the end of the file, or past the end of a shorter last message.
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override;
  std::optional<std::uint32_t> crc(std::uint64_t offset, std::uint32_t length) const override;
  roce::PacketPayload packet(std::uint64_t offset, std::uint32_t length) const override;

 private:
  void read_all(MutableByteSpan into) const;
  void close_file();
  std::uint64_t position(std::uint64_t offset) const {
    return offset < pass_.divisor() ? offset : offset - pass_.quotient(offset) * pass_.divisor();
  }

  std::string path_;
  int fd_;
  std::size_t size_;
  MessagePlan plan_;
  Divider pass_;  ///< divides by the number of stream bytes in a pass, a multiple of the message length
  std::uint32_t pmtu_;
  ByteSpan arena_;
  PacketCrcTable crcs_;
};

}  // namespace softfeb::board
