// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "connect.hpp"
#include "context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// connect, teardown, dispatch and session.
namespace softfeb::febctl {

struct ConnectCommand {
  ConnectOptions connection;
  std::optional<double> seconds;  ///< with a sink: how long to hold it; nothing: until a signal
};
void connect_command(Context& context, const ConnectCommand& options);

struct TeardownOptions {
  std::optional<std::uint32_t> qpn;  ///< nothing: looked for in the board's registers
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
  double limit = 60;  ///< seconds for the burst
};
void dispatch_command(Context& context, const DispatchOptions& options);

struct SessionOptions {
  ConnectOptions connection;
  std::uint32_t rounds = 1;
  std::uint32_t bursts = 1;
  std::uint32_t count = 1000;
  double limit = 60;                ///< seconds for a burst
  std::vector<std::string> set;     ///< NAME=VALUE, before the first burst
  std::vector<std::string> during;  ///< NAME=VALUE, in the middle of a burst
};
void session_command(Context& context, const SessionOptions& options);

}  // namespace softfeb::febctl
