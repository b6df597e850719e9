// SPDX-License-Identifier: BSD-3-Clause
#include "study/durable_file.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace softfeb::study {

namespace {

[[noreturn]] void cannot(const char* what, const std::string& path, int error) {
  throw EnvironmentError(std::string("cannot ") + what + ' ' + path + ": " + std::strerror(error),
                         "fix: make room on the disk, or name a folder that you may write");
}

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool valid() const { return fd_ >= 0; }
  bool write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
      if (n < 0 && errno != EINTR) return false;
      if (n > 0) done += static_cast<std::size_t>(n);
    }
    return true;
  }
  bool flush() const { return ::fsync(fd_) == 0; }
  /// Closes the file. Returns false on failure: some file systems report only at this point that the disk is
  /// full.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

/// Makes the renaming of a file durable. File systems that do not support this operation (EINVAL) do not need
/// it.
bool flush_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const Descriptor folder(slash == std::string::npos ? "." : path.substr(0, slash + 1),
                          O_RDONLY | O_DIRECTORY);
  return folder.valid() && (folder.flush() || errno == EINVAL);
}

}  // namespace

void write_durably(const std::string& path, const std::string& text, const std::string& owner) {
  const std::string part = path + '.' + owner;
  Descriptor file(part, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.valid()) cannot("write", path, errno);
  if (!file.write(text) || !file.flush() || !file.close() || ::rename(part.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(part.c_str());
    cannot("write", path, error);
  }
  if (!flush_folder(path)) cannot("write", path, errno);
}

void append_line(const std::string& path, const std::string& line) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (!file.valid() || !file.write(line + '\n')) cannot("write", path, errno);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) cannot("read", path, errno);
  return text;
}

}  // namespace softfeb::study
