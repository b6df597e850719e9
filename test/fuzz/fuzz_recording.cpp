// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: reads arbitrary bytes as an event file. The file must be refused, or all its fragments must lie
// within its data. Debian's HDF5 is not instrumented, so the sanitizers see its allocations but not its code.
#include "eventfile/event_file_config.hpp"
#include "eventfile/recording.hpp"
#include "input.hpp"

#include <string>

#include <sys/mman.h>
#include <unistd.h>

using namespace softfeb;
using fuzz::require;

namespace {

constexpr std::uint64_t kMost = std::uint64_t{16} << 20;

/// A file in memory.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : fd_(memfd_create("fuzz.h5", MFD_CLOEXEC)) {
    require(fd_ >= 0 && write(fd_, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    const eventfile::Recording recording = eventfile::read_recording(file.path(), kMost);
    require(!recording.fragments.empty() && recording.data.size() <= kMost);
    for (const detector::RecordedFragment& f : recording.fragments)
      require(f.bytes.empty() ||
              (f.bytes.data() >= recording.data.data() && &f.bytes.back() <= &recording.data.back()));
  } catch (const eventfile::EventFileError& error) {
    require(*error.what() != '\0');
  }
  return 0;
}
