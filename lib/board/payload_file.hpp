// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/packet_crc.hpp"
#include "board/payload.hpp"

#include <string>

namespace softfeb::board {

/// A regular file, whole, in the arena. Message n of a pass is the file's bytes from n · message_length; the
/// last is shorter where the file is no multiple. After the last message the file begins again, for as long
/// as messages are asked for (MessagePlan::messages_per_pass() of them send it once). The file is read
/// straight into the arena: no second copy of it exists here, and a file that changes later changes no
/// packet.
class FilePayload final : public PayloadSource {
 public:
  /// Opens the file and takes its size. Throws PayloadError.
  FilePayload(std::string path, std::uint32_t message_length, std::uint32_t pmtu);
  ~FilePayload() override;
  FilePayload(const FilePayload&) = delete;
  FilePayload& operator=(const FilePayload&) = delete;

  std::size_t arena_bytes() const override { return size_; }
  void fill(MutableByteSpan arena) override;
  const MessagePlan& plan() const override { return plan_; }
  /// Null where the range leaves the file (beyond a shorter last message, too).
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
  Divider pass_;  ///< stream bytes of a pass: whole messages
  std::uint32_t pmtu_;
  ByteSpan arena_;
  PacketCrcTable crcs_;
};

}  // namespace softfeb::board
