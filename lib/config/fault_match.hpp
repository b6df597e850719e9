// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "faults/fault_rule.hpp"

#include <optional>
#include <string>

/// Finds fault rules whose conditions no packet of a queue pair can fulfil. Internal to the loader.
namespace softfeb::config {

/// The reason why no packet can fulfil the conditions of a rule.
struct NoMatch {
  std::string key;  ///< key of `on` that is the reason
  std::string message;
  std::string fix;
};

/// Returns a reason if the configuration shows that no packet of `qp`, a queue pair of `board`, can fulfil
/// `on`.
std::optional<NoMatch> no_match(const faults::PacketSelector& on, const BoardConfig& board,
                                const QpConfig& qp);

}  // namespace softfeb::config
