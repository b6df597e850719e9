// SPDX-License-Identifier: BSD-3-Clause
#include "peers/sink_client.hpp"

#include "peers/sink_messages.hpp"
#include "peers/tcp_link.hpp"

namespace softfeb::peers {

namespace {

/// Maximum length of a line. A welcome has about 100 bytes per QP; a report contains a map of missing
/// messages.
constexpr std::size_t kMaxLine = std::size_t{64} << 20;

constexpr const char* kSeeSink = "see rdma-sink's output";

class SinkSession final : public PeerSession {
 public:
  SinkSession(const PeerUrl& url, const LocalEndpoint& local, const PeerTimeouts& timeouts)
      : link_(url, timeouts) {
    link_.connect("start rdma-sink there, and check host, port and firewall");
    link_.write(sink::encode_hello(local), "its queue pairs", kSeeSink);
    const std::string line = link_.read_line(kMaxLine, timeouts.step, "its queue pairs", kSeeSink);
    remote_ = link_.named([&] { return sink::decode_welcome(line, local.qps.size()); });
    if (remote_.ip.is_v4() != local.ip.is_v4())
      link_.fail(PeerFault::kConfiguration, "its GID is " + remote_.ip.to_string() + ", ours " +
                                                local.ip.to_string() +
                                                "; give rdma-sink the GID index for this kind of address");
  }

  const RemoteEndpoint& remote() const override { return remote_; }

  /// Does nothing. rdma-sink answers only when its QPs are in RTR and its receives are posted, so there is
  /// nothing left to wait for.
  void begin() override {}

  nlohmann::json end(const PeerResults& results) override {
    link_.write(sink::encode_end(results), "its report", kSeeSink);
    const std::string line = link_.read_line(kMaxLine, link_.timeouts().end, "its report", kSeeSink);
    return link_.named([&] { return sink::decode_report(line); });
  }

 private:
  TcpLink link_;
  RemoteEndpoint remote_;
};

}  // namespace

std::unique_ptr<PeerSession> connect_sink(const PeerUrl& url, const LocalEndpoint& local,
                                          const PeerTimeouts& timeouts) {
  return std::make_unique<SinkSession>(url, local, timeouts);
}

}  // namespace softfeb::peers
