// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: reads arbitrary bytes as a message between the processes of one experiment (MPI). The reader
// must not read beyond the message or allocate more than its size, whatever the lengths in it say. The values
// themselves come from softfeb's own processes, and are not checked. The input has two parts: each byte of
// the first part selects what to read next, and the second part is the message.
#include "base/archive.hpp"
#include "input.hpp"

#include <vector>

using namespace softfeb;
using fuzz::Input;
using fuzz::require;

namespace {

struct Row {
  std::uint64_t key;
  std::uint32_t count;
  std::uint8_t state;
};

/// Reads one part of the message. Returns the number of bytes of the values.
std::size_t read(std::uint8_t what, ArchiveReader& in) {
  if (what % 4 == 0) {
    std::uint64_t value = 0;
    in.item(value);
    return sizeof value;
  }
  if (what % 4 == 1) {
    std::vector<std::uint8_t> bytes;
    in.list(bytes);
    return bytes.size();
  }
  if (what % 4 == 2) {
    std::vector<Row> rows;
    in.list(rows);
    return rows.size() * sizeof(Row);
  }
  std::uint64_t size = 0;
  in.item(size);
  return in.view(size).size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const ByteSpan steps = in.bytes(in.byte() % 32);
  const ByteSpan message = in.bytes(size);
  ArchiveReader reader(message);
  std::size_t sum = 0;
  try {
    for (const std::uint8_t what : steps) sum += read(what, reader);
  } catch (const std::runtime_error& error) {
    require(*error.what() != '\0');
  }
  require(sum <= message.size());
  return 0;
}
