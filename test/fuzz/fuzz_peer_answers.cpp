// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: decodes arbitrary bytes as the messages of perftest, as the lines of rdma-sink, and as the URL
// of a peer. perftest and rdma-sink are the two programs with which softfeb exchanges the parameters of queue
// pairs. Whatever a peer sends, the decoder must return values within their ranges or throw a PeerError.
#include "input.hpp"
#include "peers/conformance_messages.hpp"
#include "peers/perftest_messages.hpp"
#include "peers/quote.hpp"
#include "peers/sink_messages.hpp"

#include <algorithm>
#include <string_view>

using namespace softfeb;
using namespace softfeb::peers;
using fuzz::Input;
using fuzz::require;

namespace {

template <class Decode>
void decode(Decode run) {
  try {
    run();
  } catch (const PeerError& error) {
    require(*error.what() != '\0');
  }
}

void check_welcome(std::string_view line, std::size_t qps) {
  decode([&] {
    const RemoteEndpoint remote = sink::decode_welcome(line, qps);
    require(remote.qps.size() == qps);
    for (const RemoteQp& qp : remote.qps) require(qp.qpn <= 0xffffff && qp.psn <= 0xffffff);
  });
}

void check_conformance(std::string_view line, std::size_t n) {
  decode([&] { require(sink::decode_target(line).limits.read > 0); });
  decode([&] {
    const std::vector<RegionRequest> requested(n);
    require(sink::decode_regions(line, requested).size() == n);
  });
  decode([&] { require(sink::decode_open(line).qpn <= 0xffffff); });
  decode([&] { sink::decode_state(line); });
  decode([&] { require(sink::decode_data(line, n).size() == n); });
  decode([&] { sink::decode_crc(line); });
  decode([&] { sink::decode_completions(line); });
  decode([&] { sink::decode_event(line); });
  decode([&] { require(sink::decode_counters(line).is_object()); });
  decode([&] { sink::decode_done(line, "freed"); });
}

/// Checks that a report can be copied and printed, because it becomes part of the result.
void check_report(std::string_view line) {
  decode([&] {
    const nlohmann::json report = sink::decode_report(line);
    const nlohmann::json copy = report;
    require(copy == report);
    require(!copy.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).empty());
  });
}

template <class Message>
Message message_of(ByteSpan bytes) {
  Message message{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), message.size()), message.begin());
  return message;
}

void check_perftest(ByteSpan bytes) {
  using namespace perftest;
  const auto version = decode_version(message_of<VersionMessage>(bytes));
  require(!version || version->number < 10'000);
  const auto mtu = decode_mtu(message_of<MtuMessage>(bytes));
  require(!mtu || (*mtu >= 256 && *mtu <= 4096 && encode_mtu(*mtu) == message_of<MtuMessage>(bytes)));
  const auto keys = decode_keys(message_of<KeysMessage>(bytes));
  require(!keys || decode_keys(encode_keys(*keys)) == keys);
  require(!is_short_keys(bytes) || bytes.size() >= kShortKeysSize);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const std::size_t n = in.byte() % 4;
  const ByteSpan bytes = in.bytes(size);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  check_welcome(text, n);
  check_conformance(text, n);
  check_report(text);
  check_perftest(bytes);
  decode([&] {
    const PeerUrl url = parse_peer_url(text);
    require(!url.host.empty() && url.port != 0);
  });
  for (const std::string& shown : {quote(text), printable(text)})
    for (const char c : shown) require(c != '\n' && c != '\x1b');
  return 0;
}
