// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/hdf5.hpp"

#include "eventfile/event_file_config.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace softfeb::eventfile {

namespace {

ListHandle creation_list(const GrowingDataset::Shape& shape, hid_t type) {
  ListHandle list(checked(H5Pcreate(H5P_DATASET_CREATE), "create a property list"));
  std::vector<hsize_t> chunk{shape.chunk_rows};
  chunk.insert(chunk.end(), shape.row.begin(), shape.row.end());
  checked(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "set the chunk size");
  if (shape.fill != 0) {
    const std::vector<std::uint8_t> fill(shape.element_bytes, shape.fill);
    checked(H5Pset_fill_value(list, type, fill.data()), "set the fill value");
  }
  return list;
}

}  // namespace

std::unique_lock<std::mutex> hdf5_lock() {
  static std::mutex mutex;
  std::unique_lock lock(mutex);
  static const bool prepared = [] {
    // If the disk was full, the library's clean-up at exit would try to write again.
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return true;
  }();
  static_cast<void>(prepared);
  return lock;
}

hid_t checked(hid_t result, const char* what) {
  if (result >= 0) return result;
  const int error = errno;
  std::string text = std::string("cannot ") + what;
  if (error != 0) text += std::string(": ") + std::strerror(error);
  throw EventFileError(text);
}

GrowingDataset::GrowingDataset(hid_t file, const char* name, hid_t type, Shape shape)
    : shape_(std::move(shape)) {
  std::vector<hsize_t> dims{0};
  dims.insert(dims.end(), shape_.row.begin(), shape_.row.end());
  std::vector<hsize_t> most = dims;
  most[0] = H5S_UNLIMITED;
  const SpaceHandle space(
      checked(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), most.data()), "create a space"));
  const ListHandle list = creation_list(shape_, type);
  dataset_ = DatasetHandle(
      checked(H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT), "create a data set"));
  row_bytes_ = shape_.element_bytes;
  for (const hsize_t d : shape_.row) row_bytes_ *= d;
  buffer_.assign(row_bytes_ * shape_.chunk_rows, shape_.fill);
}

void GrowingDataset::append(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::span<std::uint8_t> room = next_room(bytes.size());
    std::memcpy(room.data(), bytes.data(), room.size());
    advance(room.size());
    bytes = bytes.subspan(room.size());
  }
}

std::span<std::uint8_t> GrowingDataset::next_room(std::size_t wanted) {
  if (used_ == buffer_.size()) {
    write_buffer();
    used_ = 0;
    std::fill(buffer_.begin(), buffer_.end(), shape_.fill);
  }
  return std::span(buffer_).subspan(used_, std::min(wanted, buffer_.size() - used_));
}

void GrowingDataset::advance(std::size_t bytes) {
  used_ += bytes;
  rows_ += bytes / row_bytes_;
  dirty_ = true;
}

/// Writes the whole chunk. Readers do not see the rows beyond the extent of the data set.
void GrowingDataset::write_buffer() {
  if (!dirty_) return;
  errno = 0;
  std::vector<hsize_t> extent{rows_};
  extent.insert(extent.end(), shape_.row.begin(), shape_.row.end());
  checked(H5Dset_extent(dataset_, extent.data()), "extend a data set");
  std::vector<hsize_t> at(extent.size(), 0);
  at[0] = rows_ - used_ / row_bytes_;
  checked(H5Dwrite_chunk(dataset_, H5P_DEFAULT, 0, at.data(), buffer_.size(), buffer_.data()), "write");
  dirty_ = false;
}

void GrowingDataset::flush() {
  write_buffer();
  errno = 0;
  checked(H5Dflush(dataset_), "flush");
}

}  // namespace softfeb::eventfile
