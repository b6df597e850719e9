// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "catalogue.hpp"
#include "output.hpp"
#include "register_port.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace softfeb::febctl {

/// Whose registers, and how long to wait for them.
struct BoardAddress {
  std::string ip;
  std::uint16_t registers_port = 8192;
  std::uint16_t stream_port = 8193;
  std::chrono::duration<double> timeout{5.0};  ///< for the connection, and each access
};

/// What every command is given. The connection is made when it is first wanted.
class Context {
 public:
  using Dial = std::function<std::unique_ptr<RegisterPort>()>;

  Context(const Catalogue& registers, const Output& output, BoardAddress address, Dial dial)
      : catalogue(registers), out(output), where(std::move(address)), dial_(std::move(dial)) {}

  RegisterPort& board() {
    if (!port_) port_ = dial_();
    return *port_;
  }
  /// Closes the connection: a board serves one client at a time.
  void release() { port_.reset(); }

  const Catalogue& catalogue;
  const Output& out;
  const BoardAddress where;

 private:
  Dial dial_;
  std::unique_ptr<RegisterPort> port_;
};

}  // namespace softfeb::febctl
