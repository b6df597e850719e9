// SPDX-License-Identifier: BSD-3-Clause
// Device texts: the table of device kinds, the parser, and DPDK devargs. Makes no DPDK call.
#include "base/pci_address.hpp"
#include "dataplane/device.hpp"
#include "dataplane/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

namespace softfeb::dataplane {
namespace {

// Without no-rx=1, net_null would deliver an endless stream of zero-filled 64-byte frames. `takes_chains` is
// true for net_null and net_pcap: net_null frees chains of mbufs and net_pcap writes them whole, although
// neither driver announces support for chains.
constexpr std::array kTable{
    DeviceTraits{DeviceKind::kNull, "net_null", "", "no-rx=1", MtuSource::kNothing, false, true, ""},
    DeviceTraits{DeviceKind::kRing, "net_ring", "LINK", "", MtuSource::kNothing, false, false,
                 "two ports with the same LINK in one process"},
    DeviceTraits{DeviceKind::kMemif, "net_memif", "SOCKET[,client|server]", "", MtuSource::kNothing, false,
                 false, "a peer at the other end of the socket"},
    DeviceTraits{DeviceKind::kPcap, "net_pcap", "tx_pcap=FILE[,rx_pcap=FILE]", "", MtuSource::kNothing, false,
                 true, ""},
    DeviceTraits{DeviceKind::kAfPacket, "net_af_packet", "INTERFACE", "", MtuSource::kKernel, true, false,
                 "CAP_NET_RAW (and CAP_NET_ADMIN for promiscuous mode)"},
    DeviceTraits{DeviceKind::kTap, "net_tap", "NAME", "", MtuSource::kFixed, true, false,
                 "CAP_NET_ADMIN and /dev/net/tun"},
    DeviceTraits{DeviceKind::kVhost, "net_vhost", "SOCKET[,client|server]", "", MtuSource::kNothing, false,
                 false, "a directory for the socket, and a guest with shared memory"},
    DeviceTraits{DeviceKind::kPci, "", "", "", MtuSource::kPort, true, false,
                 "the NIC bound to vfio-pci (not for mlx5), huge pages"},
    DeviceTraits{DeviceKind::kRaw, "", "", "", MtuSource::kPort, true, false, ""},
};

using Options = std::vector<std::pair<std::string, std::string>>;

Options split_options(std::string_view text) {
  Options out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (!item.empty()) {
      out.emplace_back(item.substr(0, equals),
                       equals == item.npos ? std::string_view{} : item.substr(equals + 1));
    }
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
  }
  return out;
}

/// True for "client" or "server" without a value; "client=1" is DPDK's own option.
bool is_role(const std::pair<std::string, std::string>& option) {
  return option.second.empty() && (option.first == "client" || option.first == "server");
}

const std::string* find_option(const Options& options, std::string_view key) {
  const auto it = std::find_if(options.begin(), options.end(),
                               [&](const auto& o) { return o.first == key && !is_role(o); });
  return it == options.end() ? nullptr : &it->second;
}

std::string role_of(const DeviceSpec& spec) {
  for (const auto& option : spec.options) {
    if (is_role(option)) return option.first;
  }
  return "server";
}

/// Returns the options computed from the request. The user's own options take precedence.
Options computed_options(const DeviceSpec& spec, const DeviceRequest& request) {
  const std::string queues = std::to_string(request.queues);
  switch (spec.kind) {
    case DeviceKind::kAfPacket: {
      const std::uint32_t slot = af_packet_frame_slot(request.frame_bytes);
      return {{"iface", spec.argument},
              {"qpairs", queues},
              {"blocksz", std::to_string(std::max<std::uint32_t>(65536, slot))},
              {"framesz", std::to_string(slot)},
              {"framecnt", std::to_string(std::bit_ceil(request.descriptors))}};
    }
    case DeviceKind::kTap:
      return {{"iface", spec.argument}};
    case DeviceKind::kVhost:
      return {
          {"iface", spec.argument}, {"queues", queues}, {"client", role_of(spec) == "client" ? "1" : "0"}};
    case DeviceKind::kMemif: {
      const std::uint32_t buffer = std::bit_ceil(std::max<std::uint32_t>(2048, request.frame_bytes));
      const int log2_ring = std::bit_width(std::bit_ceil(request.descriptors)) - 1;
      const std::string* given = find_option(spec.options, "socket");
      const std::string& socket = given != nullptr ? *given : spec.argument;
      return {{"socket", socket},
              {"socket-abstract", socket.starts_with('/') ? "no" : "yes"},
              {"role", role_of(spec)},
              {"bsize", std::to_string(buffer)},
              {"rsize", std::to_string(std::min<int>(log2_ring, 14))}};
    }
    default:
      return {};
  }
}

DeviceSpec parse_named(const DeviceTraits& traits, const std::string& text) {
  DeviceSpec spec{traits.kind, text, {}, {}};
  std::string_view rest = std::string_view(text).substr(traits.prefix.size());
  const bool colon = rest.starts_with(':');
  if (!rest.empty()) rest.remove_prefix(1);
  const bool raw_memif =
      traits.kind == DeviceKind::kMemif && rest.substr(0, rest.find(',')).find('=') != rest.npos;
  if (traits.kind == DeviceKind::kPcap || traits.kind == DeviceKind::kNull || raw_memif) {
    spec.options = split_options(rest);
  } else {
    const std::size_t comma = rest.find(',');
    spec.argument = rest.substr(0, comma);
    if (comma != rest.npos) spec.options = split_options(rest.substr(comma + 1));
  }
  const bool missing = traits.kind == DeviceKind::kPcap
                           ? spec.options.empty()
                           : traits.kind != DeviceKind::kNull && spec.argument.empty();
  if (missing || (!colon && traits.kind != DeviceKind::kNull)) {
    throw RequestError("device '" + text + "' is incomplete: write " + std::string(traits.prefix) + ':' +
                       std::string(traits.argument));
  }
  return spec;
}

}  // namespace

bool is_server(const DeviceSpec& spec) {
  return (spec.kind == DeviceKind::kVhost || spec.kind == DeviceKind::kMemif) && role_of(spec) == "server";
}

std::span<const DeviceTraits> device_table() { return kTable; }

const DeviceTraits& device_traits(DeviceKind kind) {
  return *std::find_if(kTable.begin(), kTable.end(),
                       [kind](const DeviceTraits& t) { return t.kind == kind; });
}

std::uint32_t af_packet_frame_slot(std::uint32_t frame_bytes) {
  constexpr std::uint32_t kHeader = 96;  // aligned TPACKET2_HDRLEN, and the space that the kernel reserves
  return std::max<std::uint32_t>(2048, std::bit_ceil(frame_bytes + kHeader));
}

DeviceSpec parse_device(std::string_view given) {
  const std::string text(given);
  if (is_pci_address(std::string_view(text).substr(0, text.find(',')))) {
    const std::size_t comma = text.find(',');
    return {DeviceKind::kPci, text, text.substr(0, comma),
            comma == text.npos ? Options{} : split_options(given.substr(comma + 1))};
  }
  for (const DeviceTraits& traits : kTable) {
    if (traits.prefix.empty() || !given.starts_with(traits.prefix)) continue;
    const std::string_view rest = given.substr(traits.prefix.size());
    if (rest.empty() || rest[0] == ':' || rest[0] == ',') return parse_named(traits, text);
  }
  // Names that DPDK parses itself: "net_virtio_user0,path=/run/x.sock", "eth_af_xdp0,iface=eth1", "vdev:…",
  // "auxiliary:…".
  const std::size_t end = text.find(',');
  const std::string name = text.substr(0, end);
  const bool numbered = !name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  if (name.find(':') == name.npos && !(numbered && (name.starts_with("net_") || name.starts_with("eth_")))) {
    std::string known;
    for (const DeviceTraits& t : kTable) {
      if (t.prefix.empty()) continue;
      known += std::string(known.empty() ? "" : ", ") + std::string(t.prefix);
      if (!t.argument.empty()) known += ':' + std::string(t.argument);
    }
    throw RequestError("device '" + text + "' is not known: use a PCI address (0000:3b:00.0) or one of " +
                       known);
  }
  return {DeviceKind::kRaw, text, text, {}};
}

std::string device_arguments(const DeviceSpec& spec, const DeviceRequest& request, unsigned index) {
  if (spec.kind == DeviceKind::kRaw || spec.kind == DeviceKind::kPci) return spec.text;
  const DeviceTraits& traits = device_traits(spec.kind);
  std::string out = std::string(traits.prefix) + std::to_string(index);
  const auto add = [&out](const std::string& key, const std::string& value) {
    out += ',' + key + (value.empty() ? "" : '=' + value);
  };
  Options defaults = computed_options(spec, request);
  for (auto& option : split_options(traits.options)) defaults.push_back(std::move(option));
  for (const auto& [key, value] : defaults) {
    if (find_option(spec.options, key) == nullptr) add(key, value);
  }
  for (const auto& option : spec.options) {
    if (!is_role(option)) add(option.first, option.second);
  }
  return out;
}

}  // namespace softfeb::dataplane
