// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// read, write, list, dump and load.
namespace softfeb::febctl {

struct ReadOptions {
  std::vector<std::string> what;  ///< names, patterns, addresses
  std::optional<double> watch;    ///< again every so many seconds
  std::uint64_t times = 0;        ///< how often, with watch; 0: until stopped
};
void read_command(Context& context, const ReadOptions& options);

struct WriteOptions {
  std::vector<std::string> words;  ///< name or address, value, name or address, value …
  bool verify = true;
  bool posted = false;
};
void write_command(Context& context, const WriteOptions& options);

struct ListOptions {
  std::string node;  ///< empty: everything
};
void list_command(Context& context, const ListOptions& options);

struct DumpOptions {
  std::string node;
  bool yaml = false;
  std::string file;  ///< empty: standard output
};
void dump_command(Context& context, const DumpOptions& options);

struct LoadOptions {
  std::string file;
  bool verify = true;
  bool dry_run = false;
};
void load_command(Context& context, const LoadOptions& options);

/// What a word of the command line names: registers, or words at an address. Throws UsageError.
struct Target {
  std::vector<Register> registers;
  std::optional<Range> range;  ///< set: no registers
};
Target parse_target(const Catalogue& catalogue, const std::string& text);

}  // namespace softfeb::febctl
