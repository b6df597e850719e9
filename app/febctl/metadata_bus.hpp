// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"
#include "catalogue.hpp"
#include "register_port.hpp"

#include <chrono>

namespace softfeb::febctl {

/// The board's verbs through the registers of RoceEngine: a request is written, a bit raised, and the answer
/// read when the board says that it is there.
class MetadataBus {
 public:
  /// `board` outlives the bus. Throws UsageError where the profile has no RoceEngine.
  MetadataBus(RegisterPort& board, const Catalogue& catalogue, std::chrono::milliseconds patience);

  /// Throws NoAnswer when none comes in time, Refusal when it answers something else. Whether the request
  /// succeeded is in the response.
  board::PdResponse ask(const board::PdRequest& request);
  board::MrResponse ask(const board::MrRequest& request);
  board::QpResponse ask(const board::QpRequest& request);

  /// The answer that stands there from before, if it is one of a queue pair.
  std::optional<board::QpResponse> last_qp_response();

 private:
  board::MetadataResponse exchange(const board::MetadataRequest& request);
  board::MetadataResponseBits await(const board::MetadataResponseBits& before);
  board::MetadataResponseBits read_response();

  RegisterPort& board_;
  Register send_, receive_, tx_, rx_;
  std::chrono::milliseconds patience_;
};

}  // namespace softfeb::febctl
