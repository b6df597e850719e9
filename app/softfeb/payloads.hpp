// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"
#include "config/run_config.hpp"
#include "dataplane/arena.hpp"

#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace softfeb::app {

/// The payload sources of a run. QPs that send the same share one source and its memory.
class Payloads {
 public:
  /// Makes a source for every QP of the configuration (files are opened, not read). Throws ConfigError.
  explicit Payloads(const config::RunConfig& config);

  /// Bytes of arena that stage() needs.
  std::size_t arena_bytes() const;
  /// Reads files and makes patterns. Throws ConfigError, EnvironmentError.
  void stage(dataplane::Arena& arena);

  const board::PayloadSource& of(const config::QpConfig& qp) const;

 private:
  using Key = std::tuple<config::PayloadConfig::Kind, std::string, std::uint32_t, std::uint32_t>;
  struct Entry {
    std::unique_ptr<board::PayloadSource> source;
    config::Where where;
  };
  static Key key_of(const config::QpConfig& qp);

  std::map<Key, Entry> sources_;
};

}  // namespace softfeb::app
