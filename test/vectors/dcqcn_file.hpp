// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

/// Reads files of vectors/dcqcn, which contain the stimulus or the result of a simulation of the firmware.
namespace softfeb::test {

struct DcqcnState {
  std::uint64_t rc, rt;
  unsigned alpha, time_stage, cnp_counter;
  bool operator==(const DcqcnState&) const = default;
};

/// A change of the state: `state` is visible after the clock edge `edge`.
struct DcqcnChange {
  dcqcn::Edge edge;
  DcqcnState state;
};

/// A register write: the values are visible after the clock edge `edge`.
struct DcqcnWrite {
  dcqcn::Edge edge;
  dcqcn::FirmwareParameters parameters;
  bool counter_reset;
};

/// A CNP. The CNP input is high at the clock edge `edge` and at the following `width` - 1 edges.
struct DcqcnCnp {
  dcqcn::Edge edge;
  unsigned width;
};

struct DcqcnFile {
  dcqcn::FirmwareBuild build;
  dcqcn::Edge end = 0;
  std::vector<DcqcnChange> changes;
  std::vector<DcqcnWrite> writes;
  std::vector<DcqcnCnp> cnps;
};

/// The clock edges at which the first and the last beat of a frame enter and leave the token bucket.
struct DcqcnFrame {
  std::uint32_t bytes;
  dcqcn::Edge first_in, last_in;
  dcqcn::Edge first_out = dcqcn::kNoEdge, last_out = dcqcn::kNoEdge;
};
struct DcqcnAdmission {
  std::uint32_t bytes;
  dcqcn::Edge edge;
  std::uint64_t credit;          ///< credit before the admission, in Q32.16 bytes
  std::uint64_t byte_per_clock;  ///< refill per clock, in Q16.16 bytes
};
struct DcqcnAxisFile {
  std::vector<DcqcnFrame> frames;
  std::vector<DcqcnAdmission> admissions;
};

/// Reads a file. The test fails if the file has unknown contents.
DcqcnFile read_dcqcn_file(const std::filesystem::path& path);
DcqcnAxisFile read_dcqcn_axis_file(const std::filesystem::path& path);

/// Returns the CSV files of one kind: the token bucket's stream (`axis`), or the reaction point's state.
std::vector<std::filesystem::path> dcqcn_files(bool axis);

}  // namespace softfeb::test
