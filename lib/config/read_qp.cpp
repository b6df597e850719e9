// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "roce/psn.hpp"
#include "roce/work.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace softfeb::config {
namespace {

Parsed<std::uint64_t> parse_message_size(const std::string& text) {
  auto size = parse_size(text);
  if (size.value && *size.value > roce::kMaxMessage)
    return {text + " exceeds the largest message", "write at most 2GiB"};
  return size;
}

Parsed<ImmediateConfig> parse_immediate(const std::string& text) {
  if (text == "counter") return ImmediateConfig{ImmediateConfig::Kind::kCounter, 0};
  if (text == "channel") return ImmediateConfig{ImmediateConfig::Kind::kChannel, 0};
  const auto value = parse_integer(text, 0, UINT32_MAX);
  if (!value.value)
    return {'"' + text + "\" is not an immediate", "write a 32-bit number, counter or channel"};
  return ImmediateConfig{ImmediateConfig::Kind::kValue, static_cast<std::uint32_t>(*value.value)};
}

/// Reads the path of the payload file. Checks the file already while loading, so that a wrong name is
/// reported before the run starts.
void read_file(Section s, PayloadConfig& payload) {
  payload.kind = board::PayloadKind::kFile;
  if (s.require("file", payload.file, parse_text, "data.bin")) {
    const Where& where = s.find("file")->where;
    std::error_code error;
    if (!std::filesystem::is_regular_file(payload.file, error)) {
      s.reading().problem(where, "no file \"" + payload.file + '"',
                          "name an existing file, relative to the working directory");
    } else if (payload.file_size = std::filesystem::file_size(payload.file, error);
               error || payload.file_size == 0) {
      s.reading().problem(where, '"' + payload.file + "\" is empty", "name a file with at least one byte");
    }
  }
  s.read("repeat", payload.repeat, integer(1, UINT32_MAX));
  s.close();
}

void read_payload(Section& s, PayloadConfig& payload) {
  const Node* node = s.find("payload");
  payload.where = node != nullptr ? node->where : s.where();
  if (node == nullptr) return;
  if (node->kind == Node::Kind::kMap)
    return read_file(Section(s.reading(), *node, s.pattern("payload")), payload);
  s.scalar(*node, payload.kind, [](const std::string& text) -> Parsed<board::PayloadKind> {
    auto kind = choices::kPayload(text);
    if (!kind.value) kind.fix += ", or {file: PATH}";
    return kind;
  });
}

}  // namespace

TrafficConfig read_traffic(Section s) {
  TrafficConfig traffic;
  traffic.where = s.where();
  s.read("verb", traffic.verb, choices::kVerb);
  s.read("message_size", traffic.message_size, parse_message_size);
  s.read("rate", traffic.rate, parse_rate);
  s.read("messages", traffic.messages, integer(1, UINT64_MAX - 1));
  read_payload(s, traffic.payload);
  const bool immediate = s.read("immediate", traffic.immediate, parse_immediate);
  s.read("slots", traffic.slots, integer(0, UINT32_MAX));
  s.read("burst", traffic.burst, integer(1, 1024));
  read_beamlets(s, traffic);
  if (immediate && traffic.verb == roce::WrOpcode::kWrite) {
    s.reading().problem(s.find("immediate")->where, "`verb: write` carries no immediate",
                        "remove `immediate`, or write `verb: write_imm`");
  }
  read_random_traffic(s, traffic);
  read_transfer(s, traffic);
  s.close();
  return traffic;
}

namespace {

constexpr std::uint64_t kMax24 = 0xff'ffff;
/// Value of `ack_every` that no message reaches before its last packet. Only the last packet then requests an
/// acknowledgement.
constexpr std::uint32_t kAckPerMessage = 1U << 23;
constexpr const char* kTargets =
    "write a receiver's name, {ip, qpn, rkey, address, length}, perftest://HOST:PORT or sink://HOST:PORT";

AddressTarget read_address(Section s) {
  AddressTarget to;
  s.require("ip", to.ip, parse_ip, "10.0.0.2");
  s.read("mac", to.mac, parse_mac);
  s.require("qpn", to.qpn, integer(2, kMax24), "0x11");
  s.read("psn", to.psn, integer(0, kMax24));
  s.require("rkey", to.rkey, integer(0, UINT32_MAX), "0x1234");
  s.require("address", to.address, integer(0, UINT64_MAX), "0x7f0000000000");
  s.require("length", to.length, parse_size, "64MiB");
  s.close();
  return to;
}

/// Parses the part of perftest://HOST:PORT after the slashes. HOST may be [IPv6].
template <class T>
Parsed<Target> parse_host(const std::string& text, T target) {
  const std::size_t bracket = text.find(']');
  const std::size_t colon = text.find(':', !text.empty() && text[0] == '[' ? bracket : 0);
  target.host = text.substr(0, colon);
  if (target.host.size() > 2 && target.host.front() == '[' && target.host.back() == ']') {
    target.host = target.host.substr(1, target.host.size() - 2);
  }
  if (target.host.empty() || target.host.find_first_of("/[] ") != std::string::npos) {
    return {"the address has no host", kTargets};
  }
  if (colon != std::string::npos) {
    const auto port = parse_integer(text.substr(colon + 1), 1, 65'535);
    if (!port.value) return {"port " + port.message, port.fix};
    target.port = static_cast<std::uint16_t>(*port.value);
  }
  return Target(std::move(target));
}

Parsed<Target> parse_url(const std::string& text) {
  const std::size_t slashes = text.find("://");
  const std::string scheme = text.substr(0, slashes);
  const std::string rest = text.substr(slashes + 3);
  if (scheme == "perftest") return parse_host(rest, PerftestTarget{});
  if (scheme == "sink") return parse_host(rest, SinkTarget{});
  return {"unknown kind of receiver \"" + scheme + '"', kTargets};
}

void read_target(Section& s, QpDraft& draft) {
  const Node* node = s.find("to");
  if (node == nullptr) return s.missing("to", "RECEIVER");
  draft.config.to_where = node->where;
  if (node->kind == Node::Kind::kMap) {
    draft.config.to = read_address(Section(s.reading(), *node, s.pattern("to")));
  } else if (node->kind == Node::Kind::kList && !node->children.empty()) {
    for (const Node& name : node->children) s.scalar(name, draft.to_names.emplace_back(), parse_text);
  } else if (node->kind != Node::Kind::kScalar) {
    s.reading().problem(node->where, "does not name a receiver", kTargets);
  } else if (draft.config.to_text = node->text; node->text.find("://") != std::string::npos) {
    s.scalar(*node, draft.config.to, parse_url);
  } else {
    s.scalar(*node, draft.to_names.emplace_back(), parse_text);
  }
}

/// Reports keys that concern acknowledgements, because they have no effect for UC.
void refuse_acknowledgement_keys(Section& s) {
  for (const char* key :
       {"timeout", "retry_count", "rnr_retry", "min_rnr_timer", "window", "window_packets", "ack_every"}) {
    if (!s.given(key)) continue;
    s.reading().problem(s.find(key)->where, "UC has no acknowledgements",
                        "remove it, or write `transport: RC`");
  }
}

}  // namespace

Parsed<SinkTarget> parse_sink(const std::string& text) {
  constexpr std::string_view kScheme = "sink://";
  if (!text.starts_with(kScheme))
    return {'"' + text + "\" is not an rdma-sink", "write sink://HOST:PORT, or a receiver's name"};
  const auto target = parse_host(text.substr(kScheme.size()), SinkTarget{});
  if (!target.value) return {target.message, "write sink://HOST:PORT"};
  return std::get<SinkTarget>(*target.value);
}

QpDraft read_qp(Section s) {
  QpDraft draft;
  QpConfig& qp = draft.config;
  qp.where = s.where();
  s.read("count", qp.count, integer(1, 1'000'000));
  s.read("transport", qp.transport, choices::kTransport);
  draft.qpn_given = s.read("qpn", qp.qpn, integer(2, kMax24));
  draft.pmtu_given = s.read("pmtu", qp.pmtu, [](const std::string& text) -> Parsed<std::uint64_t> {
    auto pmtu = parse_integer(text, 256, 4096);
    if (pmtu.value && roce::pmtu_legal(static_cast<std::uint32_t>(*pmtu.value))) return pmtu;
    return {text + " is not a path MTU", "write 256, 512, 1024, 2048 or 4096"};
  });
  s.read("psn", qp.psn, integer(0, kMax24));
  s.read("timeout", qp.timeout, integer(0, 31));
  s.read("retry_count", qp.retry_count, integer(0, 7));
  s.read("rnr_retry", qp.rnr_retry, integer(0, 7));
  s.read("min_rnr_timer", qp.min_rnr_timer, integer(0, 31));
  s.read("window", qp.window, integer(1, 65'536));
  s.read("window_packets", qp.window_packets, integer(0, 1U << 23));
  s.read("ack_every", qp.ack_every, integer(0, 1U << 23));
  draft.send_queue_given = s.read("send_queue", qp.send_queue, integer(1, 65'536));
  s.read("signaled", qp.signaled, choices::kSignaled);
  s.read("sq_sig_all", qp.sq_sig_all, parse_bool);
  s.read("solicited", qp.solicited, parse_bool);
  read_target(s, draft);
  Node none;
  none.where = s.where();
  const Node* traffic = s.find("traffic");
  qp.traffic = read_traffic(Section(s.reading(), traffic != nullptr ? *traffic : none, s.pattern("traffic")));
  // Each segment requests an acknowledgement, although only the last segment of a transfer is signaled.
  if (qp.traffic.transfer && qp.transport == roce::Transport::kRc && qp.ack_every == 0)
    qp.ack_every = kAckPerMessage;
  qp.congestion = read_congestion(s);
  if (qp.transport == roce::Transport::kUc) refuse_acknowledgement_keys(s);
  s.close();
  return draft;
}

}  // namespace softfeb::config
