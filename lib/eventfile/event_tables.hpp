// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "eventfile/event_file_config.hpp"
#include "eventfile/event_rows.hpp"
#include "eventfile/hdf5.hpp"

#include <cstdint>
#include <span>

namespace softfeb::eventfile {

/// The HDF5 file with its tables. Functions that call libhdf5 acquire the lock of hdf5_lock().
class EventTables {
 public:
  /// Creates the file so that readers can open it. Throws EventFileError.
  explicit EventTables(const EventFileConfig& config);
  ~EventTables();
  EventTables(const EventTables&) = delete;
  EventTables& operator=(const EventTables&) = delete;

  bool has_waveforms() const { return waveforms_.id() >= 0; }
  std::uint64_t fragments() const { return fragments_.rows(); }
  std::uint64_t data_bytes() const { return data_.rows(); }

  /// Appends an event: its data, one row of /fragments per board, its waveforms ([board][channel][sample];
  /// empty if there is no /waveforms), and its row of /events. Throws EventFileError; after an error, the
  /// file must not be used further.
  void append(const EventRow& event, std::span<const FragmentRow> fragments, ByteSpan data,
              std::span<const std::uint16_t> waveforms);
  /// Makes all events visible to readers. Throws EventFileError.
  void flush();
  /// Flushes and closes the file. Throws EventFileError.
  void close();
  /// Call after an error. Leaves the file in the state of the last flush, as if this process had been killed;
  /// closing it would write further metadata.
  void abandon();

 private:
  void close_tables();
  void write_attributes(const EventFileConfig& config);
  void create_tables(const EventFileConfig& config);
  void flush_tables();

  FileHandle file_;
  GrowingDataset events_;
  GrowingDataset fragments_;
  GrowingDataset data_;
  GrowingDataset waveforms_;
};

}  // namespace softfeb::eventfile
