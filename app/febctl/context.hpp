// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "catalogue.hpp"
#include "register_port.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::febctl {

/// Prints results of commands, as text or as one JSON document per line.
class Output {
 public:
  explicit Output(bool json, std::FILE* to = stdout) : json_(json), to_(to) {}

  bool json() const { return json_; }
  /// Prints the JSON document in JSON mode, otherwise the text.
  void result(const std::string& text, const nlohmann::json& json) const;
  /// Prints the text in both modes.
  void document(const std::string& text) const;
  /// Prints a note to standard error. In JSON mode, prints nothing.
  void note(const std::string& text) const;

 private:
  bool json_;
  std::FILE* to_;
};

/// Address of a board, and timeout of its accesses.
struct BoardAddress {
  std::string ip;
  std::uint16_t registers_port = 8192;
  std::uint16_t stream_port = 8193;
  std::chrono::duration<double> timeout{5.0};  ///< timeout of the connection and of each access
};

/// Context of a command. Connects to the board at the first access.
class Context {
 public:
  using Dial = std::function<std::unique_ptr<RegisterPort>()>;

  Context(const Catalogue& registers, const Output& output, BoardAddress address, Dial dial)
      : catalogue(registers), out(output), where(std::move(address)), dial_(std::move(dial)) {}

  RegisterPort& board() {
    if (!port_) port_ = dial_();
    return *port_;
  }
  /// Closes the connection, so that other clients can use the board, which serves one client at a time. The
  /// next call of board() connects again.
  void release() { port_.reset(); }

  const Catalogue& catalogue;
  const Output& out;
  const BoardAddress where;

 private:
  Dial dial_;
  std::unique_ptr<RegisterPort> port_;
};

}  // namespace softfeb::febctl
