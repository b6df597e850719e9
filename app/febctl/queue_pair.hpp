// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "metadata_bus.hpp"
#include "metadata_messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::febctl {

/// Resources allocated on the board. Members are empty if unknown.
struct BoardResources {
  std::optional<std::uint32_t> pd;    ///< handler of the protection domain
  std::optional<std::uint32_t> lkey;  ///< lkey of the memory region
  std::optional<std::uint32_t> rkey;
  std::optional<std::uint32_t> qpn;
  bool keep_pd = false;  ///< do not free a PD that belongs to another client
};

/// A queue pair of the board, set up and torn down over the metadata bus. If the board refuses a step, the
/// step throws Refusal, whose message contains the fix; earlier steps stay in effect.
class QueuePair {
 public:
  /// `bus` must outlive this object.
  explicit QueuePair(MetadataBus& bus, BoardResources known = {}) : bus_(bus), board_(known) {}

  void allocate_pd(std::uint32_t key);
  void register_region(const RegionParameters& region);
  void create();
  /// Moves the queue pair through INIT and RTR to RTS.
  void bring_up(const QpParameters& p);

  /// Moves the queue pair from any state to ERR and frees the known resources. With `keep_pd`, does not free
  /// the protection domain. Returns a description of each refused step. May be called at any time,
  /// even if a step of the setup failed.
  std::vector<std::string> take_down();

  const BoardResources& board() const { return board_; }

 private:
  void modify(const board::QpRequest& request, const char* state);
  void to_error(std::vector<std::string>& refused);

  MetadataBus& bus_;
  BoardResources board_;
};

}  // namespace softfeb::febctl
