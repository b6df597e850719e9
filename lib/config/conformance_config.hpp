// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/address.hpp"
#include "config/values.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::config {

/// A queue pair that exists on the target, connected to a queue pair of the board.
struct ListedQp {
  std::uint32_t qpn = 0;  ///< QPN at the target
  /// QPN of the board's queue pair to which the target's queue pair is connected.
  std::uint32_t dest_qpn = 0;
  std::uint32_t psn = 0;  ///< PSN that the target expects first
  std::uint32_t rkey = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;  ///< length of the memory region in bytes
};

/// Name of the target whose queue pairs are listed in the section `conformance`.
inline constexpr const char* kListedTarget = "listed";

/// Section `conformance`: the target of `softfeb conformance`, and the cases to run.
struct ConformanceConfig {
  /// sink://HOST[:PORT], perftest://HOST[:PORT], "own:" (first receiver of the configuration), own:virtual
  /// (softfeb's receiver in virtual time), or listed (the queue pairs in `qps`).
  std::string target;
  std::optional<IpAddress> ip;    ///< IP address of a listed target
  std::optional<MacAddress> mac;  ///< MAC address of a listed target; resolved if empty
  std::vector<ListedQp> qps;
  std::uint32_t queue_pairs = 64;  ///< for perftest://, the number of queue pairs of the server (-q)
  std::uint32_t pmtu = 1024;       ///< for perftest:// and `qps`, the path MTU of the queue pairs in bytes
  std::string profile = "iba";     ///< name of a profile, or path of a file
  /// Names of groups and cases; all cases if empty. A leading `!` excludes a name.
  std::vector<std::string> cases;
  /// Second IP address of the board. If empty, cases that need a second address do not run.
  std::optional<IpAddress> second_ip;
  std::optional<IpPrefix> ip6;          ///< IPv6 address of the board; if empty, cases over IPv6 do not run
  std::optional<IpAddress> target_ip6;  ///< IPv6 address of the target
  std::uint32_t attempts = 2;           ///< maximum number of attempts of a case that stays inconclusive
  std::optional<Time> time_limit;       ///< longest duration of the run; empty if it is not limited
  Where where;
};

}  // namespace softfeb::config
