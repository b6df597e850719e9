// SPDX-License-Identifier: BSD-3-Clause
#include "completion_queue.hpp"

#include "refusal.hpp"

#include <cerrno>

#include <fcntl.h>

namespace softfeb::sink {

CompletionQueue::CompletionQueue(const Device& device, std::uint32_t entries)
    : channel_(ibv_create_comp_channel(device.context())) {
  if (!channel_) refuse("cannot create a completion channel", errno);
  fcntl(channel_->fd, F_SETFL, fcntl(channel_->fd, F_GETFL) | O_NONBLOCK);
  cq_.reset(ibv_create_cq(device.context(), static_cast<int>(entries), nullptr, channel_.get(), 0));
  if (!cq_) refuse("cannot create a completion queue of " + std::to_string(entries) + " entries", errno);
}

void CompletionQueue::arm(bool solicited) { ibv_req_notify_cq(cq_.get(), solicited ? 1 : 0); }

bool CompletionQueue::take_events() {
  ibv_cq* cq = nullptr;
  void* context = nullptr;
  unsigned count = 0;
  while (ibv_get_cq_event(channel_.get(), &cq, &context) == 0) ++count;
  if (count != 0) ibv_ack_cq_events(cq_.get(), count);
  return count != 0;
}

std::size_t CompletionQueue::poll(std::span<ibv_wc> out) {
  const int n = ibv_poll_cq(cq_.get(), static_cast<int>(out.size()), out.data());
  return n < 0 ? 0 : static_cast<std::size_t>(n);
}

}  // namespace softfeb::sink
