// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/rssi.hpp"

#include <deque>
#include <vector>

namespace softfeb::test {

/// A link without a network: segments accumulate in `sent` until take() makes room.
class FakeLink final : public srp::RssiLink {
 public:
  using Bytes = std::vector<std::uint8_t>;

  explicit FakeLink(srp::RssiUser& user, std::size_t payload = 1016) : user_(user), payload_(payload) {}

  void connect(Time now = 0) {
    open_ = true;
    user_.on_open(now);
  }
  Bytes take(Time now = 0) {
    Bytes segment = std::move(sent.front());
    sent.pop_front();
    user_.on_room(now);
    return segment;
  }

  void on_datagram(const srp::UdpPeer&, ByteSpan, Time) override {}
  void on_timer(Time) override {}
  Time deadline() const override { return kNever; }
  bool open() const override { return open_; }
  std::size_t max_payload() const override { return open_ ? payload_ : 0; }
  std::size_t room() const override { return open_ && sent.size() < window ? window - sent.size() : 0; }
  bool send(ByteSpan payload, Time) override {
    if (room() == 0 || payload.empty() || payload.size() > payload_) {
      ++bad_sends;
      return false;
    }
    sent.emplace_back(payload.begin(), payload.end());
    return true;
  }
  void close(Time now) override {
    open_ = false;
    sent.clear();
    user_.on_close(srp::RssiClose::kByUs, now);
  }
  void resume(Time) override { ++resumed; }
  const srp::RssiStatus& status() const override { return status_; }

  std::deque<Bytes> sent;
  std::size_t window = 16;
  unsigned resumed = 0;
  unsigned bad_sends = 0;

 private:
  srp::RssiUser& user_;
  std::size_t payload_;
  bool open_ = false;
  srp::RssiStatus status_;
};

}  // namespace softfeb::test
