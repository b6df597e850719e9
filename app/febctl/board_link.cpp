// SPDX-License-Identifier: BSD-3-Clause
#include "board_link.hpp"

#include "failure.hpp"
#include "sockets/register_client.hpp"
#include "sockets/udp_socket.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

using sockets::RegisterClient;
using sockets::RegisterError;
using srp::SrpOutcome;

/// Returns the result of call(), and converts exceptions of the register client to those of febctl.
template <class Call>
auto guarded(Call call) {
  try {
    return call();
  } catch (const RegisterError& error) {
    throw Failure(static_cast<ExitCode>(error.exit_code()), error.what());
  } catch (const sockets::SocketError& error) {
    throw NoAnswer(error.what());
  }
}

class SrpPort final : public RegisterPort {
 public:
  explicit SrpPort(const sockets::RegisterClientOptions& options) : client_(options) {
    guarded([&] { client_.connect(); });
  }

  Bytes read(Range range) override {
    return guarded([&] { return client_.read(range.address, range.bytes); });
  }

  std::vector<ReadResult> read_many(std::span<const Range> ranges) override {
    std::vector<RegisterClient::Read> reads;
    reads.reserve(ranges.size());
    for (const Range& range : ranges) reads.push_back({range.address, range.bytes});
    std::vector<RegisterClient::Outcome> outcomes = guarded([&] { return client_.try_read_many(reads); });
    std::vector<ReadResult> results;
    results.reserve(outcomes.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) results.push_back(result_of(outcomes[i], ranges[i]));
    return results;
  }

  void write(std::uint32_t address, ByteSpan data) override {
    guarded([&] { client_.write(address, data); });
  }

  void post(std::uint32_t address, ByteSpan data) override {
    guarded([&] { client_.post(address, data); });
  }

 private:
  ReadResult result_of(RegisterClient::Outcome& outcome, const Range& range) const {
    if (outcome.ok()) return {std::move(outcome.data), ""};
    const std::string what =
        client_.explain(outcome, fmt::format("read of {} bytes at {:#010x}", range.bytes, range.address));
    // A refusal concerns only this read, so it becomes part of the result. A missing response means that the
    // board cannot be reached at all, so it ends the command.
    if (outcome.outcome == SrpOutcome::kStatus) return {{}, what};
    throw NoAnswer(what);
  }

  RegisterClient client_;
};

Time time_of(std::chrono::duration<double> time) {
  return static_cast<Time>(time.count() * static_cast<double>(kSecond));
}

}  // namespace

srp::UdpPeer peer_of(const BoardAddress& address, std::uint16_t port) {
  const auto ip = roce::IpAddress::parse(address.ip);
  if (!ip)
    throw UsageError(
        fmt::format("--ip {}: not an IP address; fix: write one such as 192.168.2.10", address.ip));
  return {*ip, port};
}

std::unique_ptr<RegisterPort> dial(const BoardAddress& address) {
  sockets::RegisterClientOptions options;
  options.board = peer_of(address, address.registers_port);
  options.connect_timeout = options.access_timeout = time_of(address.timeout);
  return std::make_unique<SrpPort>(options);
}

}  // namespace softfeb::febctl
