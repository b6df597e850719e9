// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "srp/datagram.hpp"
#include "srp/rssi.hpp"
#include "srp/srp_client.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace softfeb::sockets {

inline constexpr std::uint16_t kRegistersPort = 8192;
inline constexpr std::uint16_t kStreamPort = 8193;

/// Cause of an error. The values are the exit codes of the command-line programs.
enum class RegisterFault : std::uint8_t {
  kAccess = 1,       ///< the board refuses the access or sends an invalid answer
  kUsage = 2,        ///< invalid address or size
  kEnvironment = 3,  ///< the board is unreachable or does not answer
};

/// Exception of a RegisterClient. The message names the board, the access, the problem and the fix, in one
/// line.
class RegisterError : public std::runtime_error {
 public:
  RegisterError(RegisterFault fault, const std::string& what, std::uint32_t status = 0)
      : std::runtime_error(what), fault_(fault), status_(status) {}
  RegisterFault fault() const { return fault_; }
  int exit_code() const { return static_cast<int>(fault_); }
  /// SRPv3 status word if the board refused the access; otherwise 0.
  std::uint32_t status() const { return status_; }

 private:
  RegisterFault fault_;
  std::uint32_t status_;
};

struct RegisterClientOptions {
  srp::UdpPeer board;  ///< usually port kRegistersPort
  Time connect_timeout = 5 * kSecond;
  Time access_timeout = 5 * kSecond;  ///< maximum time without any answer
  std::size_t in_flight = 256;        ///< maximum number of outstanding transactions
};

/// Access to the registers of a board or of softfeb, for sequential programs. The link opens on the first
/// access, and reopens if it has closed since the previous access. The link is kept alive only while one of
/// these functions runs. Not thread-safe. The constructor throws SocketError. The accesses throw
/// RegisterError for invalid arguments and if the board cannot be reached. If the board refuses an access or
/// does not respond to it, the functions try_*() report this in Outcome; the other functions throw
/// RegisterError.
class RegisterClient {
 public:
  struct Read {
    std::uint32_t address = 0;
    std::size_t bytes = 4;  ///< multiple of 4, 4…4096
  };
  struct Write {
    std::uint32_t address = 0;
    std::vector<std::uint8_t> data;  ///< size as in Read::bytes
  };
  struct Outcome {
    srp::SrpOutcome outcome = srp::SrpOutcome::kClosed;
    std::uint32_t status = 0;
    std::vector<std::uint8_t> data;  ///< data of a read; with kStatus, only the words before the error
    bool ok() const { return outcome == srp::SrpOutcome::kOk; }
  };

  explicit RegisterClient(const RegisterClientOptions& options);
  ~RegisterClient();
  RegisterClient(RegisterClient&&) noexcept;
  RegisterClient& operator=(RegisterClient&&) noexcept;

  /// Opens the link now instead of on the first access.
  void connect();
  void close();
  bool connected() const;

  std::vector<std::uint8_t> read(std::uint32_t address, std::size_t bytes);
  std::uint32_t read32(std::uint32_t address);
  /// Returns after the board has performed the write.
  void write(std::uint32_t address, ByteSpan data);
  void write32(std::uint32_t address, std::uint32_t value);
  /// Posted write. Returns after the board has processed the request, but cannot report bus errors.
  void post(std::uint32_t address, ByteSpan data);

  /// The reads are pipelined and performed in order. The results are in the same order.
  std::vector<std::vector<std::uint8_t>> read_many(std::span<const Read> reads);
  void write_many(std::span<const Write> writes);
  /// Like read_many(), but returns one outcome per access instead of throwing for the first failure.
  std::vector<Outcome> try_read_many(std::span<const Read> reads);
  std::vector<Outcome> try_write_many(std::span<const Write> writes);
  /// Returns the error and its fix, as in the exceptions; empty if the access succeeded. `access` is, for
  /// example, "read of 4 bytes at 0x100".
  std::string explain(const Outcome& outcome, const std::string& access) const;

  /// Waits and keeps the link alive.
  void wait(Time duration);

  const srp::RssiStatus& link_status() const;
  const srp::SrpClientCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace softfeb::sockets
