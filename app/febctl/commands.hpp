// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "connect.hpp"
#include "context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The commands of febctl with their options. All throw the exceptions of failure.hpp.
namespace softfeb::febctl {

struct ReadOptions {
  std::vector<std::string> what;  ///< names, patterns and addresses of the registers to read
  std::optional<double> watch;    ///< interval between reads in seconds; if empty, registers are read once
  std::uint64_t times = 0;        ///< number of reads with `watch`; 0 means to read until a signal arrives
};
void read_command(Context& context, const ReadOptions& options);

struct WriteOptions {
  std::vector<std::string> words;  ///< (name or address, value) pairs
  bool verify = true;
  bool posted = false;
};
void write_command(Context& context, const WriteOptions& options);

struct ListOptions {
  std::string node;  ///< empty means the whole register tree
};
void list_command(Context& context, const ListOptions& options);

struct DumpOptions {
  std::string node;
  bool yaml = false;
  std::string file;  ///< empty means standard output
};
void dump_command(Context& context, const DumpOptions& options);

struct LoadOptions {
  std::string file;
  bool verify = true;
  bool dry_run = false;
};
void load_command(Context& context, const LoadOptions& options);

/// Registers or memory words that an argument of the command line selects, by name or by address.
/// parse_target() throws UsageError.
struct Target {
  std::vector<Register> registers;
  std::optional<Range> range;  ///< if set, the argument is an address, and `registers` is empty
};
Target parse_target(const Catalogue& catalogue, const std::string& text);

struct ConnectCommand {
  ConnectOptions connection;
  /// Time in seconds for which the session with a sink stays open. If empty, it stays open until a signal
  /// arrives.
  std::optional<double> seconds;
};
void connect_command(Context& context, const ConnectCommand& options);

struct TeardownOptions {
  std::optional<std::uint32_t> qpn;  ///< if empty, the QPN is taken from the board's registers
  std::optional<std::uint32_t> pd;
  std::optional<std::uint32_t> lkey;
  bool keep_pd = false;
  bool all_regions = false;
  double metadata_timeout = 5;
};
void teardown_command(Context& context, const TeardownOptions& options);

struct DispatchOptions {
  std::uint32_t count = 0;
  std::optional<std::uint32_t> size;
  bool wait = true;
  bool reset = false;
  double limit = 60;  ///< timeout of a burst in seconds
};
void dispatch_command(Context& context, const DispatchOptions& options);

struct SessionOptions {
  ConnectOptions connection;
  std::uint32_t rounds = 1;
  std::uint32_t bursts = 1;
  std::uint32_t count = 1000;
  double limit = 60;                ///< timeout of a burst in seconds
  std::vector<std::string> set;     ///< NAME=VALUE, written before the first burst
  std::vector<std::string> during;  ///< NAME=VALUE, written during the middle burst
};
void session_command(Context& context, const SessionOptions& options);

/// Prints one page about a board: identity, links, congestion control of its queue pair, counters.
void status_command(Context& context);

struct StreamOptions {
  double seconds = 5;
  std::optional<std::uint32_t> frame_size;  ///< frame size in 64-bit words; if empty, it stays unchanged
};

/// Receives frames from the board's generator and checks each frame. Throws Refusal if a frame is wrong or no
/// frame arrives.
void stream_command(Context& context, const StreamOptions& options);

}  // namespace softfeb::febctl
