// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: reads event files with arbitrary rows, data and shapes. A file must be refused, or all its
// fragments must lie within its data. The fuzzer writes the files with the HDF5 library, so each file is
// valid HDF5. The HDF5 library itself does not resist hostile files (doc/security.md), and this fuzzer does
// not look for defects of that library. The first bytes of the input are the size of /data, the shape of
// /waveforms and what is wrong with the file; the rest are rows of /fragments.
#include "eventfile/event_file_config.hpp"
#include "eventfile/event_rows.hpp"
#include "eventfile/hdf5.hpp"
#include "eventfile/recording.hpp"
#include "input.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

using namespace softfeb;
using namespace softfeb::eventfile;
using fuzz::Input;
using fuzz::require;

namespace {

constexpr std::uint64_t kMost = 4096;

enum Defect : std::uint8_t { kNoFormat = 1, kOtherFormat = 2, kNoData = 4, kManyRows = 8, kFlatShape = 16 };

/// The file to which each input is written. It is removed at the end of the program.
class ScratchFile {
 public:
  ScratchFile() : path_(folder() / ("fuzz_recording." + std::to_string(getpid()))) {}
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  /// Returns a folder in memory if the machine has one; otherwise, the folder for temporary files.
  static std::filesystem::path folder() {
    return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  }

  std::string path_;
};

void write_format(hid_t file, const char* text) {
  const TypeHandle type(checked(H5Tcopy(H5T_C_S1), "create a type"));
  checked(H5Tset_size(type, H5T_VARIABLE), "create a type");
  const SpaceHandle one(checked(H5Screate(H5S_SCALAR), "create a space"));
  const AttributeHandle attribute(
      checked(H5Acreate2(file, "format", type, one, H5P_DEFAULT, H5P_DEFAULT), "create an attribute"));
  checked(H5Awrite(attribute, type, &text), "write an attribute");
}

/// Creates a table. If `rows` is null, the table has no contents, whatever its size.
void write_table(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& size,
                 const void* rows) {
  const SpaceHandle space(
      checked(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), "create a space"));
  const DatasetHandle set(
      checked(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "create a table"));
  if (rows != nullptr) checked(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), "write a table");
}

void write_file(const std::string& path, Input in) {
  const auto lock = hdf5_lock();
  const FileHandle file(checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create"));
  const std::uint8_t defects = in.byte();
  const std::vector<std::uint8_t> data(in.size(2 * kMost), 7);
  const std::array<hsize_t, 2> shape{in.size(65'536) * 3, in.size(65'536) * 3};
  std::vector<FragmentRow> rows;
  while (!in.empty()) {
    const ByteSpan bytes = in.bytes(sizeof(FragmentRow));
    std::memcpy(&rows.emplace_back(), bytes.data(), bytes.size());
  }
  if ((defects & kNoFormat) == 0)
    write_format(file, (defects & kOtherFormat) != 0 ? "something else" : "softfeb-events");
  const hsize_t count = (defects & kManyRows) != 0 ? hsize_t{1} << 40 : rows.size();
  const TypeHandle row = fragment_type();
  write_table(file, "fragments", row, {count}, (defects & kManyRows) != 0 ? nullptr : rows.data());
  if ((defects & kNoData) == 0) write_table(file, "data", H5T_STD_U8LE, {data.size()}, data.data());
  if (shape[0] == 0) return;
  if ((defects & kFlatShape) != 0)
    write_table(file, "waveforms", H5T_STD_U16LE, {1, shape[0]}, nullptr);
  else
    write_table(file, "waveforms", H5T_STD_U16LE, {1, 1, shape[0], shape[1]}, nullptr);
}

void check(const Recording& recording) {
  require(!recording.fragments.empty() && recording.data.size() <= kMost);
  for (const detector::RecordedFragment& f : recording.fragments)
    require(f.bytes.empty() ||
            (f.bytes.data() >= recording.data.data() && &f.bytes.back() <= &recording.data.back()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file;
  try {
    write_file(file.path(), Input(data, size));
  } catch (const EventFileError&) {
    return 0;  // HDF5 cannot write such a file
  }
  try {
    check(read_recording(file.path(), kMost));
  } catch (const EventFileError& error) {
    require(*error.what() != '\0');
  }
  return 0;
}
