// SPDX-License-Identifier: BSD-3-Clause
#include "sockets/stream_receiver.hpp"

#include "sockets/blocking_link.hpp"
#include "sockets/register_client.hpp"

#include <utility>

namespace softfeb::sockets {

struct StreamReceiver::Impl {
  Impl(const StreamReceiverOptions& o, srp::FrameHandler handler)
      : options(o),
        client(std::move(handler), o.max_frame),
        transport({.proposal = {.max_outstanding = 32, .max_segment = o.max_segment}}, o.board, client) {
    client.attach(transport.link());
  }

  StreamReceiverOptions options;
  srp::StreamClient client;
  BlockingLink transport;
};

StreamReceiver::StreamReceiver(const StreamReceiverOptions& options, srp::FrameHandler handler)
    : impl_(std::make_unique<Impl>(options, std::move(handler))) {}
StreamReceiver::~StreamReceiver() = default;

void StreamReceiver::connect() {
  if (impl_->transport.wait_open(impl_->options.connect_timeout)) return;
  throw RegisterError(RegisterFault::kEnvironment, "stream of board " + srp::to_text(impl_->options.board) +
                                                       ": " + impl_->transport.why_not_open());
}

void StreamReceiver::close() { impl_->transport.close(); }

bool StreamReceiver::receive(Time duration, std::uint64_t frames) {
  const std::uint64_t until = frames == UINT64_MAX ? frames : impl_->client.received().frames + frames;
  return impl_->transport.run_until([&] { return impl_->client.received().frames >= until; }, duration);
}

void StreamReceiver::send(ByteSpan frame) {
  connect();
  impl_->client.send(frame, steady_time());
}

StreamStats StreamReceiver::figures() const {
  const srp::StreamClient& c = impl_->client;
  const srp::RssiStatus& link = link_status();
  return {c.received().frames, c.received().bytes, c.damaged(),
          c.dropped(),         link.rx_segments,   link.reconnects};
}

const srp::RssiStatus& StreamReceiver::link_status() const { return impl_->transport.link().status(); }

}  // namespace softfeb::sockets
