// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/recording.hpp"

#include "eventfile/event_file_config.hpp"
#include "eventfile/event_rows.hpp"
#include "eventfile/hdf5.hpp"

#include <array>
#include <cerrno>
#include <cstring>

namespace softfeb::eventfile {

namespace {

[[noreturn]] void refuse(const std::string& why, const std::string& fix) {
  throw EventFileError(why + "; fix: " + fix);
}

FileHandle open_file(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  errno = 0;
  hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0 && errno != 0) refuse(std::strerror(errno), "name a file that can be read");
  // If the writer was killed or is still writing, the file is marked as open, and only SWMR readers can open
  // it.
  if (id < 0) id = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
  if (id < 0) refuse("is not an HDF5 file", "name a file that softfeb or rdma-sink has written");
  return FileHandle(id);
}

std::string read_format(hid_t file) {
  if (H5Aexists(file, "format") <= 0) return {};
  const AttributeHandle attribute(checked(H5Aopen(file, "format", H5P_DEFAULT), "read an attribute"));
  const TypeHandle stored(checked(H5Aget_type(attribute), "read an attribute"));
  if (H5Tis_variable_str(stored) <= 0) return {};
  const TypeHandle type(checked(H5Tcopy(H5T_C_S1), "create a type"));
  checked(H5Tset_size(type, H5T_VARIABLE), "create a type");
  checked(H5Tset_cset(type, H5Tget_cset(stored)), "create a type");
  char* text = nullptr;
  checked(H5Aread(attribute, type, &text), "read an attribute");
  std::string out = text == nullptr ? "" : text;
  H5free_memory(text);
  return out;
}

struct Table {
  DatasetHandle set;
  std::vector<hsize_t> size;
};

Table open_table(hid_t file, const char* name, int dimensions) {
  Table t{DatasetHandle(checked(H5Dopen2(file, name, H5P_DEFAULT), "open a data set")), {}};
  const SpaceHandle space(checked(H5Dget_space(t.set), "read the size of a data set"));
  if (H5Sget_simple_extent_ndims(space) != dimensions)
    refuse(std::string("/") + name + " has another shape",
           "name a file that softfeb or rdma-sink has written");
  t.size.resize(static_cast<std::size_t>(dimensions));
  checked(H5Sget_simple_extent_dims(space, t.size.data(), nullptr), "read the size of a data set");
  return t;
}

void read_all(const Table& table, hid_t type, void* to) {
  checked(H5Dread(table.set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), "read a data set");
}

void read_shape(hid_t file, Recording& out) {
  if (H5Lexists(file, "waveforms", H5P_DEFAULT) <= 0) return;
  const Table waveforms = open_table(file, "waveforms", 4);
  if (waveforms.size[2] > UINT16_MAX || waveforms.size[3] > UINT16_MAX) return;
  out.channels = static_cast<std::uint16_t>(waveforms.size[2]);
  out.samples = static_cast<std::uint16_t>(waveforms.size[3]);
}

Recording read_open(hid_t file, std::uint64_t most) {
  if (read_format(file) != "softfeb-events")
    refuse("is not an event file", "name a file that softfeb or rdma-sink has written");
  Recording out;
  // Open /fragments before /data. A writer extends /data first, so /data then contains all bytes to which the
  // rows of /fragments refer.
  const Table rows = open_table(file, "fragments", 1);
  const Table data = open_table(file, "data", 1);
  // Tables can have unwritten parts that take no space on the disk, so the tables may be larger than the
  // file.
  if (data.size[0] > most || rows.size[0] > most / sizeof(FragmentRow))
    refuse("has more data than fit in memory", "record a shorter run");
  std::vector<FragmentRow> fragments(rows.size[0]);
  const TypeHandle type = fragment_type();
  read_all(rows, type, fragments.data());
  out.data.resize(data.size[0]);
  read_all(data, H5T_STD_U8LE, out.data.data());
  read_shape(file, out);
  for (const FragmentRow& f : fragments) {
    if (f.offset > out.data.size() || f.length > out.data.size() - f.offset)
      refuse("a fragment reaches beyond /data", "record the run again");
    if (f.status != static_cast<std::uint8_t>(FragmentStatus::kWhole)) continue;
    out.fragments.push_back({f.event, f.board, ByteSpan(out.data).subspan(f.offset, f.length)});
  }
  if (out.fragments.empty()) refuse("has no whole fragments", "name a file with complete events");
  return out;
}

}  // namespace

Recording read_recording(const std::string& path, std::uint64_t most) {
  const auto lock = hdf5_lock();
  try {
    const FileHandle file = open_file(path);
    return read_open(file, most);
  } catch (const EventFileError& error) {
    throw EventFileError(path + ": " + error.what());
  }
}

}  // namespace softfeb::eventfile
