// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"
#include "catalogue.hpp"
#include "register_port.hpp"

#include <chrono>

namespace softfeb::febctl {

/// The board's verbs over the registers of RoceEngine: writes a request, sets the bit that starts it, and
/// reads the response when the board signals it.
class MetadataBus {
 public:
  /// `board` must outlive the bus. Throws UsageError if the profile has no RoceEngine.
  MetadataBus(RegisterPort& board, const Catalogue& catalogue, std::chrono::milliseconds patience);

  /// Throws NoAnswer on a timeout, and Refusal if the response is of another kind. The response contains
  /// whether the request succeeded.
  board::PdResponse ask(const board::PdRequest& request);
  board::MrResponse ask(const board::MrRequest& request);
  board::QpResponse ask(const board::QpRequest& request);

  /// Returns the response to an earlier request, if it concerns a queue pair.
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
