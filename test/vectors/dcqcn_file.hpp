// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dcqcn/edge.hpp"
#include "dcqcn/firmware_parameters.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

/// A file of vectors/dcqcn: stimulus and result of a simulation of the firmware.
namespace softfeb::test {

struct DcqcnState {
  std::uint64_t rc, rt;
  unsigned alpha, time_stage, cnp_counter;
  bool operator==(const DcqcnState&) const = default;
};

/// State visible after this edge, if it differs from the state before.
struct DcqcnChange {
  dcqcn::Edge edge;
  DcqcnState state;
};

/// Register values visible after this edge.
struct DcqcnWrite {
  dcqcn::Edge edge;
  dcqcn::FirmwareParameters parameters;
  bool counter_reset;
};

/// The CNP input is high when sampled at `edge` and the `width` - 1 edges after it.
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

/// A frame at the token bucket's input, and its admission (unknown for the first frame).
struct DcqcnFrame {
  std::uint32_t bytes;
  dcqcn::Edge first_in, last_in;
  dcqcn::Edge first_out = dcqcn::kNoEdge, last_out = dcqcn::kNoEdge;
};
struct DcqcnAdmission {
  std::uint32_t bytes;
  dcqcn::Edge edge;
  std::uint64_t credit;          ///< Q32.16, before the admission
  std::uint64_t byte_per_clock;  ///< Q16.16
};
struct DcqcnAxisFile {
  std::vector<DcqcnFrame> frames;
  std::vector<DcqcnAdmission> admissions;
};

/// Reads a file. Unknown contents fail the test.
DcqcnFile read_dcqcn_file(const std::filesystem::path& path);
DcqcnAxisFile read_dcqcn_axis_file(const std::filesystem::path& path);

/// Returns the CSV files of one kind: the token bucket's stream (`axis`), or the reaction point's state.
std::vector<std::filesystem::path> dcqcn_files(bool axis);

}  // namespace softfeb::test
