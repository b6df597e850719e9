// SPDX-License-Identifier: BSD-3-Clause
#include "peers/perftest_client.hpp"

#include "peers/perftest_messages.hpp"
#include "peers/quote.hpp"
#include "peers/tcp_link.hpp"
#include "roce/work.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <span>

namespace softfeb::peers {

namespace {

using namespace perftest;

/// Defaults of perftest: one page and one cache line.
constexpr std::uint32_t kCycleBuffer = 4096;
constexpr std::uint32_t kCacheLine = 64;
/// The cycle buffer is limited, because the server stores the cycle buffer size in an int and allocates two
/// buffers per QP.
constexpr std::uint32_t kMaxCycleBuffer = 1U << 30;

constexpr const char* kLeftAtVersion =
    "start 'ib_write_bw -F -x GID_INDEX' there, and restart it for each run, because it serves one client; "
    "if the port is forwarded, check that it leads to the server; do not use --dont_xchg_versions, -R and "
    "-z";
constexpr const char* kLeftAtRtr =
    "see the server's output; 'Failed to modify QP to RTR' means that its ARP request for our address was "
    "not answered";
constexpr const char* kSeeServer = "see the server's output";
constexpr const char* kLeftAtEnd =
    "see the server's output; with -b it would also send, which softfeb does not support";

class PerftestSession final : public PeerSession {
 public:
  PerftestSession(const PeerUrl& url, const LocalEndpoint& local, const PeerTimeouts& timeouts)
      : link_(url, timeouts), local_(local) {
    check_local();
    link_.connect(
        "check the port, and start 'ib_write_bw -F -x GID_INDEX' there, for each run, because it serves one "
        "client; a server with -R listens elsewhere");
    exchange_versions();
    exchange_memory();
    exchange_mtu();
    exchange_keys();
  }

  const RemoteEndpoint& remote() const override { return remote_; }
  void begin() override;
  nlohmann::json end(const PeerResults& results) override;

 private:
  void check_local() const;
  void exchange_versions();
  void exchange_memory();
  void exchange_mtu();
  void exchange_keys();
  Keys shake(std::size_t qp, const char* waiting_for, const char* fix);
  void expect(std::size_t qp, const char* waiting_for, const char* fix);
  void report(const ReportMessage& number);

  template <class Message>
  Message swap(const Message& ours, const char* waiting_for, const char* fix) {
    Message theirs;
    link_.write(ours, waiting_for, fix);
    link_.read(theirs, waiting_for, fix);
    return theirs;
  }

  TcpLink link_;
  LocalEndpoint local_;
  RemoteEndpoint remote_;
  Version version_;
  std::uint64_t length_ = 0;  ///< memory that each QP of the server is guaranteed to have, in bytes
};

void PerftestSession::check_local() const {
  if (local_.immediate != false)
    link_.fail(
        PeerFault::kConfiguration,
        "ib_write_bw posts no receives, so a WRITE with immediate never completes there; use 'write', or "
        "rdma-sink as the receiver");
  if (local_.message_size > kMaxCycleBuffer)
    link_.fail(PeerFault::kConfiguration, "perftest accepts messages of at most 1 GiB; reduce message_size");
}

void PerftestSession::exchange_versions() {
  const VersionMessage answer = swap(encode_version(), "its version", kLeftAtVersion);
  const auto version = decode_version(answer);
  if (!version)
    link_.fail(PeerFault::kProtocol, "it answered " + quote(answer) +
                                         " instead of a perftest version; check that this is an "
                                         "ib_write_bw server");
  version_ = *version;
  remote_.software = "perftest " + version_.text;
  if (version_.number < kOldestVersion || version_.number > kNewestVersion)
    link_.fail(PeerFault::kConfiguration,
               "the server is perftest " + version_.text + ", but softfeb speaks " +
                   std::string(kOurVersion) +
                   ", which works with 5.92 to 6.29; install a perftest in this range (Debian 12 has "
                   "4.5+0.17, which is 6.06), or use rdma-sink");
}

void PerftestSession::exchange_memory() {
  // Both sides use the larger cycle buffer, and the server gives each QP at least that much memory.
  // Announcing the size that we need makes the server's -s irrelevant.
  const std::uint32_t ours = std::max(kCycleBuffer, std::bit_ceil(local_.message_size));
  const std::uint32_t theirs = decode_int(swap(encode_int(ours), "its buffer size", kSeeServer));
  length_ = std::max(ours, theirs <= kMaxCycleBuffer ? theirs : 0);
  swap(encode_int(kCacheLine), "its cache line size", kSeeServer);
}

void PerftestSession::exchange_mtu() {
  const MtuMessage answer = swap(encode_mtu(local_.pmtu), "its MTU", kSeeServer);
  const auto theirs = decode_mtu(answer);
  if (!theirs)
    link_.fail(PeerFault::kProtocol, "it answered " + quote(answer) + " instead of a perftest MTU");
  if (*theirs < local_.pmtu)
    link_.fail(PeerFault::kConfiguration,
               "its path MTU is " + std::to_string(*theirs) + ", ours " + std::to_string(local_.pmtu) +
                   "; set pmtu to " + std::to_string(*theirs) + ", or start the server with -m " +
                   std::to_string(local_.pmtu) + " on an interface with a large enough MTU");
}

/// Sends our keys for QP `qp` and returns the server's keys. Every handshake for the QP sends the same
/// message. Its rkey and address are 0, because we have no memory for the server to write to.
Keys PerftestSession::shake(std::size_t qp, const char* waiting_for, const char* fix) {
  Keys ours;
  ours.qpn = local_.qps[qp].qpn;
  ours.psn = local_.qps[qp].psn;
  ours.gid = local_.ip;
  link_.write(encode_keys(ours), waiting_for, fix);

  KeysMessage answer;
  const std::span whole(answer);
  link_.read(whole.first(kShortKeysSize), waiting_for, fix);
  if (is_short_keys(whole.first(kShortKeysSize)))
    link_.fail(
        PeerFault::kConfiguration,
        "the server has no GID, so its link is InfiniBand; choose a RoCE device with -d (ibv_devinfo lists "
        "them)");
  link_.read(whole.subspan(kShortKeysSize), waiting_for, fix);
  const auto keys = decode_keys(answer);
  if (!keys)
    link_.fail(PeerFault::kProtocol, "it answered " + quote(answer) +
                                         " instead of perftest's QPN, PSN, rkey, "
                                         "address and GID");
  return *keys;
}

void PerftestSession::exchange_keys() {
  for (std::size_t i = 0; i < local_.qps.size(); ++i) {
    const Keys keys = shake(i, "its queue pairs", "see the server's output (memory, number of queue pairs)");
    // If a server has fewer QPs than softfeb, it interprets the extra messages as the next handshake and
    // starts again with its first QP.
    if (i > 0 && keys.qpn == remote_.qps.front().qpn)
      link_.fail(PeerFault::kConfiguration, "it has " + std::to_string(i) + " queue pairs, softfeb has " +
                                                std::to_string(local_.qps.size()) +
                                                "; start the server with -q " +
                                                std::to_string(local_.qps.size()));
    if (keys.gid.is_v4() != local_.ip.is_v4())
      link_.fail(PeerFault::kConfiguration,
                 "its GID is " + keys.gid.to_string() + ", ours " + local_.ip.to_string() +
                     "; give the server the index of a GID of the same kind with -x (listed in "
                     "/sys/class/infiniband/*/ports/1/gids)");
    if (keys.gid == local_.ip)
      link_.fail(PeerFault::kConfiguration,
                 "its GID is " + keys.gid.to_string() +
                     ", which is the board's own address; give the board another `ip`");
    if (i == 0) remote_.ip = keys.gid;
    remote_.qps.push_back({keys.qpn, keys.psn, keys.rkey, keys.address, length_});
  }
}

/// Performs a handshake that only synchronises the two sides. The server must repeat its keys for QP `qp`.
void PerftestSession::expect(std::size_t qp, const char* waiting_for, const char* fix) {
  const Keys keys = shake(qp, waiting_for, fix);
  if (keys.qpn == remote_.qps[qp].qpn) return;
  link_.fail(PeerFault::kConfiguration,
             "it has more queue pairs than softfeb's " + std::to_string(local_.qps.size()) +
                 "; start the server with -q " + std::to_string(local_.qps.size()));
}

void PerftestSession::begin() {
  // The server moves its QPs to RTR after the last exchange of keys and before its first answer in this
  // loop. Perftest performs one more handshake afterwards.
  for (std::size_t i = 0; i < local_.qps.size(); ++i) expect(i, "its queue pairs to be ready", kLeftAtRtr);
  expect(0, "its queue pairs to be ready", kLeftAtRtr);
}

void PerftestSession::report(const ReportMessage& number) {
  swap(number, "the report's numbers", kLeftAtEnd);
}

nlohmann::json PerftestSession::end(const PeerResults& results) {
  const auto rate = [&](double amount) { return results.seconds > 0 ? amount / results.seconds : 0.0; };
  const double mib_per_s = rate(static_cast<double>(results.payload_bytes)) / 0x100000;
  const double mega_messages_per_s = rate(static_cast<double>(results.messages)) / 1e6;

  expect(0, "the end of its test", kLeftAtEnd);
  report(encode_report(std::uint64_t{local_.message_size}));
  report(encode_report(results.messages));
  report(encode_report(0.0));  // peak rate: not measured, as with perftest's -N
  report(encode_report(mib_per_s));
  report(encode_report(mega_messages_per_s));
  expect(0, "its farewell", kLeftAtEnd);
  link_.part(kDone);
  return {{"receiver", "perftest"},
          {"version", version_.text},
          {"reported",
           {{"message_size", local_.message_size},
            {"messages", results.messages},
            {"mib_per_s", mib_per_s},
            {"mega_messages_per_s", mega_messages_per_s}}}};
}

}  // namespace

std::unique_ptr<PeerSession> connect_perftest(const PeerUrl& url, const LocalEndpoint& local,
                                              const PeerTimeouts& timeouts) {
  return std::make_unique<PerftestSession>(url, local, timeouts);
}

}  // namespace softfeb::peers
