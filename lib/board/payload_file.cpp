// SPDX-License-Identifier: BSD-3-Clause
#include "board/payload_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace softfeb::board {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what_and_fix) {
  throw PayloadError("payload file '" + path + "': " + what_and_fix);
}

int open_regular(const std::string& path) {
  // Open without blocking, so that a FIFO is rejected below instead of blocking until it has a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) return fd;
  const int error = errno;
  if (error == ENOENT)
    fail(path,
         "no such file; give the path of an existing file (paths are relative to the working directory)");
  if (error == EACCES)
    fail(path, "permission denied; make it readable for this user (chmod, or run as its owner)");
  fail(path, std::string("cannot be opened (") + std::strerror(error) + "); give a readable file");
}

std::size_t regular_size(int fd, const std::string& path) {
  struct stat st {};
  if (::fstat(fd, &st) != 0)
    fail(path, std::string("stat failed (") + std::strerror(errno) + "); give a readable file");
  if (!S_ISREG(st.st_mode))
    fail(path, "not a regular file; give a regular file, since its size must be known before it is sent");
  if (st.st_size == 0)
    fail(path, "file is empty; give a file of at least one byte, or choose another payload");
  return static_cast<std::size_t>(st.st_size);
}

}  // namespace

FilePayload::FilePayload(std::string path, std::uint32_t message_length, std::uint32_t pmtu)
    : path_(std::move(path)),
      fd_(open_regular(path_)),
      size_(0),
      plan_(MessagePlan::endless(message_length)),
      pmtu_(pmtu) {
  try {
    size_ = regular_size(fd_, path_);
  } catch (...) {
    close_file();
    throw;
  }
  plan_ = MessagePlan::of(size_, message_length);
  pass_ = Divider(plan_.messages_per_pass() * message_length);
}

FilePayload::~FilePayload() { close_file(); }

void FilePayload::close_file() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void FilePayload::fill(MutableByteSpan arena) {
  const MutableByteSpan own = checked_arena(arena, size_);
  read_all(own);
  close_file();
  crcs_ = PacketCrcTable(own, plan_.message_length(), pmtu_);
  arena_ = own;
}

void FilePayload::read_all(MutableByteSpan into) const {
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  for (std::size_t done = 0; done < into.size();) {
    const ssize_t n =
        ::pread(fd_, into.data() + done, std::min(kPiece, into.size() - done), static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      fail(path_, std::string("reading failed at byte ") + std::to_string(done) + " (" +
                      std::strerror(errno) + "); check the disk, or copy the file elsewhere");
    if (n == 0)
      fail(path_, "was truncated while being read (" + std::to_string(done) + " of " +
                      std::to_string(into.size()) + " bytes); start again when no program writes to it");
    done += static_cast<std::size_t>(n);
  }
}

const std::uint8_t* FilePayload::bytes(std::uint64_t offset, std::uint32_t length) const {
  const std::uint64_t at = position(offset);
  if (at > arena_.size() || length > arena_.size() - at || arena_.empty()) return nullptr;
  return arena_.data() + at;
}

std::optional<std::uint32_t> FilePayload::crc(std::uint64_t offset, std::uint32_t length) const {
  return crcs_.find(position(offset), length);
}

roce::PacketPayload FilePayload::packet(std::uint64_t offset, std::uint32_t length) const {
  return {FilePayload::bytes(offset, length), FilePayload::crc(offset, length)};
}

}  // namespace softfeb::board
