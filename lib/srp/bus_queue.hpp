// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "srp/bus.hpp"

#include <deque>
#include <utility>

namespace softfeb::srp {

/// Shares one bus between several users. Accesses that arrive while another is in progress are queued and
/// carried out in order of arrival. The queue is bounded by the number of users, each of which has at most
/// one access outstanding.
class BusQueue final : public Bus {
 public:
  /// `bus` must outlive this object. This object must exist until the bus has called `done` for the last
  /// time.
  explicit BusQueue(Bus& bus) : bus_(bus) {}
  BusQueue(const BusQueue&) = delete;
  BusQueue& operator=(const BusQueue&) = delete;

  void read(std::uint32_t address, MutableByteSpan out, Time now, Done done) override {
    push({false, address, out, {}, std::move(done)}, now);
  }
  void write(std::uint32_t address, ByteSpan data, Time now, Done done) override {
    push({true, address, {}, data, std::move(done)}, now);
  }

 private:
  struct Access {
    bool write = false;
    std::uint32_t address = 0;
    MutableByteSpan out;
    ByteSpan data;
    Done done;
  };

  void push(Access access, Time now) {
    waiting_.push_back(std::move(access));
    if (!busy_) begin(now);
  }

  void begin(Time now) {
    busy_ = true;
    Access a = std::move(waiting_.front());
    waiting_.pop_front();
    auto done = [this, heard = std::move(a.done)](const BusResult& result, Time at) {
      heard(result, at);
      busy_ = false;
      if (!waiting_.empty()) begin(at);
    };
    if (a.write) return bus_.write(a.address, a.data, now, std::move(done));
    bus_.read(a.address, a.out, now, std::move(done));
  }

  Bus& bus_;
  std::deque<Access> waiting_;
  bool busy_ = false;
};

}  // namespace softfeb::srp
