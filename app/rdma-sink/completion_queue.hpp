// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace softfeb::sink {

/// A completion queue with a channel for its events.
class CompletionQueue {
 public:
  /// The queue holds `entries` completions, and is not armed. Throws Refusal.
  CompletionQueue(const Device& device, std::uint32_t entries);

  ibv_cq* get() const { return cq_.get(); }
  int fd() const { return channel_->fd; }  ///< readable if an event is waiting

  /// Requests an event for the next completion. If `solicited` is true, only errors and completions of
  /// messages with a solicited event cause the event.
  void arm(bool solicited);
  /// Takes the waiting events. Returns false if there were none. Does not block.
  bool take_events();
  /// Takes up to out.size() completions, and returns their number.
  std::size_t poll(std::span<ibv_wc> out);

 private:
  ChannelPtr channel_;
  CqPtr cq_;
};

}  // namespace softfeb::sink
