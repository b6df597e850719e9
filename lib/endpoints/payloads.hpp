// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "config/run_config.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace softfeb::endpoints {

/// The payload sources of a run. QPs with the same payload share one source and its memory.
class Payloads {
 public:
  /// Creates the sources of all QPs of the configuration and opens their files without reading them. Throws
  /// ConfigError.
  explicit Payloads(const config::RunConfig& config);

  /// Arena bytes that stage() needs.
  std::size_t arena_bytes() const;
  /// Allocates cache-aligned memory that outlives all packets: from an arena registered with the ports, or
  /// from elsewhere.
  using Allocate = std::function<MutableByteSpan(std::size_t bytes)>;
  /// Reads files and generates patterns into memory from `allocate`. Throws ConfigError, and passes on
  /// exceptions of `allocate`.
  void stage(const Allocate& allocate);

  const board::PayloadSource& of(const config::QpConfig& qp) const;
  /// Payload of the metadata bus's QPs: the firmware's test pattern, which is available at any payload
  /// offset. Call only if a board has `control`.
  const board::PayloadSource& of_bus() const { return *bus_; }
  /// Payload of traffic generators: the firmware's test pattern, in packets as long as the longest datagrams.
  /// Call only if a board has a traffic generator.
  const board::PayloadSource& of_traffic_gens() const { return *generated_; }

 private:
  using Key = std::tuple<board::PayloadKind, std::string, std::uint32_t, std::uint32_t>;
  struct Entry {
    std::unique_ptr<board::PayloadSource> source;
    config::Where where;
  };
  static Key key_of(const config::QpConfig& qp);

  std::map<Key, Entry> sources_;
  std::unique_ptr<board::PayloadSource> bus_;
  std::unique_ptr<board::PayloadSource> generated_;
};

}  // namespace softfeb::endpoints
