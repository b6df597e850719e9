// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

/// A thin layer over libhdf5. Its functions throw EventFileError. Debian's library is not thread-safe, so
/// callers must hold the lock of hdf5_lock() for every function, including destructors.
namespace softfeb::eventfile {

std::unique_lock<std::mutex> hdf5_lock();

/// Owns an HDF5 identifier and releases it with `Close`.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  operator hid_t() const { return id_; }

  /// Releases the identifier now. Returns false if that failed.
  bool close() { return Close(std::exchange(id_, -1)) >= 0; }
  /// Gives up ownership without closing the identifier.
  void abandon() { id_ = -1; }

 private:
  hid_t id_ = -1;
};
using FileHandle = Handle<H5Fclose>;
using DatasetHandle = Handle<H5Dclose>;
using TypeHandle = Handle<H5Tclose>;
using SpaceHandle = Handle<H5Sclose>;
using ListHandle = Handle<H5Pclose>;
using AttributeHandle = Handle<H5Aclose>;

/// Returns `result`. Throws EventFileError, with the system's error message, if `result` is negative.
hid_t checked(hid_t result, const char* what);

/// A data set that grows along its first dimension. Rows are buffered until a chunk is full or flush() is
/// called. Chunks are written directly, without the library's chunk cache and type conversion.
class GrowingDataset {
 public:
  struct Shape {
    std::vector<hsize_t> row;  ///< dimensions of a row; empty means that a row is one element
    std::size_t element_bytes = 1;
    hsize_t chunk_rows = 1;
    std::uint8_t fill = 0;  ///< value of all bytes of an element that was not written
  };

  GrowingDataset() = default;
  GrowingDataset(hid_t file, const char* name, hid_t type, Shape shape);

  /// Number of rows, including those in the buffer.
  std::uint64_t rows() const { return rows_; }
  std::size_t row_bytes() const { return row_bytes_; }
  hid_t id() const { return dataset_; }

  /// Appends rows. `bytes` must consist of whole rows.
  void append(std::span<const std::uint8_t> bytes);
  /// Writes the buffer, and passes all data to the operating system.
  void flush();
  /// Closes the data set.
  void close() { dataset_.close(); }
  void abandon() { dataset_.abandon(); }

 private:
  /// Returns free space in the buffer, at most `wanted` bytes. Writes the buffer first if it is full.
  std::span<std::uint8_t> next_room(std::size_t wanted);
  void advance(std::size_t bytes);
  void write_buffer();

  Shape shape_;
  DatasetHandle dataset_;
  std::size_t row_bytes_ = 1;
  std::vector<std::uint8_t> buffer_;  ///< holds one chunk
  std::size_t used_ = 0;
  bool dirty_ = false;
  std::uint64_t rows_ = 0;
};

}  // namespace softfeb::eventfile
