// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"
#include "catalogue.hpp"
#include "register_port.hpp"

#include <chrono>

namespace softfeb::febctl {

/// Executes verbs on the board through the registers of RoceEngine. For each verb, this class writes a
/// request, sets the bit that starts the execution, and reads the response when the board signals completion.
class MetadataBus {
 public:
  /// `board` must outlive the bus. Throws UsageError if the profile has no RoceEngine.
  MetadataBus(RegisterPort& board, const Catalogue& catalogue, std::chrono::milliseconds patience);

  /// Sends a request and returns the response, which says whether the request succeeded. Throws NoAnswer on
  /// a timeout, and Refusal if the response does not have the type of the request.
  board::PdResponse ask(const board::PdRequest& request);
  board::MrResponse ask(const board::MrRequest& request);
  board::QpResponse ask(const board::QpRequest& request);

  /// Returns the last response in the registers if it is the response to a queue pair request.
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
