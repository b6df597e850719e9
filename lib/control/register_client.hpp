// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "control/datagram.hpp"
#include "control/rssi.hpp"
#include "control/srp_client.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace softfeb::control {

inline constexpr std::uint16_t kRegistersPort = 8192;
inline constexpr std::uint16_t kStreamPort = 8193;

/// Whose fault it is; the values are the programs' exit codes.
enum class RegisterFault : std::uint8_t {
  kAccess = 1,       ///< the board refuses the access, or answers nonsense
  kUsage = 2,        ///< an address or a size that no access can have
  kEnvironment = 3,  ///< nobody there, or nobody answering
};

/// The message names the board, the access, what happened and what to do about it, in one line.
class RegisterError : public std::runtime_error {
 public:
  RegisterError(RegisterFault fault, const std::string& what, std::uint32_t status = 0)
      : std::runtime_error(what), fault_(fault), status_(status) {}
  RegisterFault fault() const { return fault_; }
  int exit_code() const { return static_cast<int>(fault_); }
  std::uint32_t status() const { return status_; }  ///< SRPv3's, where the board refused

 private:
  RegisterFault fault_;
  std::uint32_t status_;
};

struct RegisterClientOptions {
  UdpPeer board;  ///< port kRegistersPort as a rule
  Time connect_timeout = 5 * kSecond;
  Time access_timeout = 5 * kSecond;  ///< without any answer
  std::size_t in_flight = 256;        ///< transactions begun and not ended
};

/// Registers of a board, or of softfeb, for programs that do one thing after the other. The link opens with
/// the first access, and again where it went down between two; it is kept alive only inside these functions.
/// Not for several threads. All but try_*() throw RegisterError when anything fails; all throw it, or
/// SocketError, when the board cannot be reached.
class RegisterClient {
 public:
  struct Read {
    std::uint32_t address = 0;
    std::size_t bytes = 4;  ///< multiples of 4, 4…4096
  };
  struct Write {
    std::uint32_t address = 0;
    std::vector<std::uint8_t> data;  ///< of such a size
  };
  struct Outcome {
    SrpOutcome outcome = SrpOutcome::kClosed;
    std::uint32_t status = 0;
    std::vector<std::uint8_t> data;  ///< read; with kStatus the words before the error
    bool ok() const { return outcome == SrpOutcome::kOk; }
  };

  explicit RegisterClient(const RegisterClientOptions& options);
  ~RegisterClient();
  RegisterClient(RegisterClient&&) noexcept;
  RegisterClient& operator=(RegisterClient&&) noexcept;

  /// Opens the link now rather than with the first access.
  void connect();
  void close();
  bool connected() const;

  std::vector<std::uint8_t> read(std::uint32_t address, std::size_t bytes);
  std::uint32_t read32(std::uint32_t address);
  /// The board has carried it out on return.
  void write(std::uint32_t address, ByteSpan data);
  void write32(std::uint32_t address, std::uint32_t value);
  /// Posted write: returns once the board has taken it, without its word on the outcome.
  void post(std::uint32_t address, ByteSpan data);

  /// Pipelined, in order; the results in the same order.
  std::vector<std::vector<std::uint8_t>> read_many(std::span<const Read> reads);
  void write_many(std::span<const Write> writes);
  /// The same, with an outcome for each instead of an exception for the first that fails.
  std::vector<Outcome> try_read_many(std::span<const Read> reads);
  std::vector<Outcome> try_write_many(std::span<const Write> writes);
  /// What went wrong and what to do, as the exceptions say it; `access` such as "read of 4 bytes at 0x100".
  std::string explain(const Outcome& outcome, const std::string& access) const;

  /// Lets time pass with the link alive.
  void wait(Time duration);

  const RssiStatus& link_status() const;
  const SrpClientCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace softfeb::control
