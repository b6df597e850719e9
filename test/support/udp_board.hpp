// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "frame_pattern.hpp"
#include "memory_bus.hpp"
#include "sockets/udp_socket.hpp"
#include "srp/rssi_server.hpp"
#include "srp/srp_server.hpp"
#include "srp/stream.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace softfeb::test {

inline srp::UdpPeer loopback(std::uint16_t port) { return {*roce::IpAddress::parse("127.0.0.1"), port}; }

/// A board with registers and a pattern stream on real loopback sockets. It runs on its own thread.
class UdpBoard {
 public:
  using Allow = sockets::UdpServerSocket::Allow;

  explicit UdpBoard(std::uint16_t port = 0, const roce::IpAddress& address = loopback(0).ip, Allow allow = {},
                    std::size_t frame_bytes = 128 * 1024)
      : source(frame_bytes),
        registers_socket_(io_, address, port, allow),
        stream_socket_(io_, address, 0, allow),
        srp(bus),
        stream(source, [this](ByteSpan f, const srp::FrameTags&, Time) { stream_received += f.size(); }),
        registers_link({}, registers_socket_, srp),
        stream_link({.local = {.max_outstanding = 32, .max_segment = 8192}}, stream_socket_, stream) {
    srp.attach(registers_link);
    stream.attach(stream_link);
    registers_socket_.start(registers_link);
    stream_socket_.start(stream_link);
    thread_ = std::thread([this] { io_.run(); });
  }
  /// Closes without notifying the client.
  ~UdpBoard() {
    io_.stop();
    thread_.join();
  }

  srp::UdpPeer registers() const { return loopback(registers_socket_.port()); }
  srp::UdpPeer streams() const { return loopback(stream_socket_.port()); }

  /// Calls `what` on the board's thread and waits until it has returned.
  void on_thread(const std::function<void()>& what) {
    std::promise<void> done;
    boost::asio::post(io_, [&] {
      what();
      done.set_value();
    });
    done.get_future().wait();
  }
  sockets::UdpCounters registers_counters() {
    sockets::UdpCounters out;
    on_thread([&] { out = registers_socket_.counters(); });
    return out;
  }

 private:
  boost::asio::io_context io_{1};

 public:
  MemoryBus bus;
  PatternSource source;
  std::atomic<std::uint64_t> stream_received = 0;

 private:
  sockets::UdpServerSocket registers_socket_;
  sockets::UdpServerSocket stream_socket_;

 public:
  srp::SrpServer srp;
  srp::StreamServer stream;
  srp::RssiServer registers_link;
  srp::RssiServer stream_link;

 private:
  std::thread thread_;
};

}  // namespace softfeb::test
