// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/event_tables.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace softfeb::eventfile {

namespace {

constexpr std::size_t kChunk = 1 << 20;
constexpr std::uint32_t kVersion = 1;

FileHandle create_file(const std::string& path) {
  const ListHandle access(checked(H5Pcreate(H5P_FILE_ACCESS), "create a property list"));
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "select the file format");
  errno = 0;
  return FileHandle(checked(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access), "create the file"));
}

void write_attribute(hid_t file, const char* name, hid_t type, const void* value) {
  const SpaceHandle space(checked(H5Screate(H5S_SCALAR), "create a space"));
  const AttributeHandle attribute(
      checked(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), "create an attribute"));
  checked(H5Awrite(attribute, type, value), "write an attribute");
}

void write_number(hid_t file, const char* name, std::uint32_t value) {
  write_attribute(file, name, H5T_STD_U32LE, &value);
}

/// Writes a string of variable length, which h5py reads as `str`.
void write_text(hid_t file, const char* name, const std::string& text) {
  const TypeHandle type(checked(H5Tcopy(H5T_C_S1), "create a type"));
  checked(H5Tset_size(type, H5T_VARIABLE), "create a type");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "create a type");
  const char* const value = text.c_str();
  write_attribute(file, name, type, &value);
}

template <typename Row>
ByteSpan bytes_of(std::span<const Row> rows) {
  return {reinterpret_cast<const std::uint8_t*>(rows.data()), rows.size_bytes()};
}

}  // namespace

EventTables::EventTables(const EventFileConfig& config) {
  const auto lock = hdf5_lock();
  file_ = create_file(config.path);
  write_attributes(config);
  create_tables(config);
  errno = 0;
  checked(H5Fstart_swmr_write(file_), "open the file for readers");
}

EventTables::~EventTables() {
  const auto lock = hdf5_lock();
  close_tables();
  if (file_ >= 0) file_.close();
}

void EventTables::write_attributes(const EventFileConfig& config) {
  write_text(file_, "format", "softfeb-events");
  write_number(file_, "version", kVersion);
  write_number(file_, "run", config.run);
  write_text(file_, "configuration", config.configuration);
}

void EventTables::create_tables(const EventFileConfig& config) {
  const TypeHandle event = event_type();
  events_ = GrowingDataset(file_, "events", event, {{}, sizeof(EventRow), 1024, 0});
  const TypeHandle fragment = fragment_type();
  fragments_ = GrowingDataset(file_, "fragments", fragment, {{}, sizeof(FragmentRow), 8192, 0});
  data_ = GrowingDataset(file_, "data", H5T_STD_U8LE, {{}, 1, kChunk, 0});
  if (config.channels == 0 || config.samples == 0) return;
  const std::size_t event_bytes = std::size_t{config.boards} * config.channels * config.samples * 2;
  waveforms_ = GrowingDataset(file_, "waveforms", H5T_STD_U16LE,
                              {{config.boards, config.channels, config.samples},
                               2,
                               std::clamp<hsize_t>(kChunk / event_bytes, 1, 1024),
                               0xff});
}

void EventTables::append(const EventRow& event, std::span<const FragmentRow> fragments, ByteSpan data,
                         std::span<const std::uint16_t> waveforms) {
  const auto lock = hdf5_lock();
  data_.append(data);
  fragments_.append(bytes_of(fragments));
  if (has_waveforms()) waveforms_.append(bytes_of(waveforms));
  events_.append(bytes_of(std::span(&event, 1)));
}

/// Flushes /events last, so that readers find everything that its rows refer to.
void EventTables::flush_tables() {
  data_.flush();
  fragments_.flush();
  if (has_waveforms()) waveforms_.flush();
  events_.flush();
}

void EventTables::flush() {
  const auto lock = hdf5_lock();
  flush_tables();
}

void EventTables::close() {
  const auto lock = hdf5_lock();
  flush_tables();
  close_tables();
  errno = 0;
  checked(file_.close() ? 0 : -1, "close");
}

/// Closes the data sets. Call before closing the file, because an open data set keeps its file open.
void EventTables::close_tables() {
  for (GrowingDataset* table : {&waveforms_, &data_, &fragments_, &events_})
    if (table->id() >= 0) table->close();
}

void EventTables::abandon() {
  for (GrowingDataset* table : {&waveforms_, &data_, &fragments_, &events_}) table->abandon();
  file_.abandon();
}

}  // namespace softfeb::eventfile
