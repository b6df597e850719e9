// SPDX-License-Identifier: BSD-3-Clause
#include "base/pci_address.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/error.hpp"
#include "config/units.hpp"

#include <array>
#include <cctype>
#include <string_view>

namespace softfeb::config {
namespace {

struct DeviceForm {
  std::string_view prefix;  ///< text before the colon
  DeviceKind kind;
  std::string_view example;
};

constexpr std::array<DeviceForm, 6> kForms = {
    {{"net_ring", DeviceKind::kRing, "net_ring:link0"},
     {"net_memif", DeviceKind::kMemif, "net_memif:/tmp/memif.sock,client"},
     {"net_pcap", DeviceKind::kPcap, "net_pcap:tx_pcap=out.pcap"},
     {"net_af_packet", DeviceKind::kAfPacket, "net_af_packet:eth0"},
     {"net_tap", DeviceKind::kTap, "net_tap:feb0"},
     {"net_vhost", DeviceKind::kVhost, "net_vhost:/tmp/vhost.sock"}}};

constexpr const char* kAllForms =
    "write net_null, net_ring:LINK, net_memif:SOCKET, net_pcap:tx_pcap=FILE, net_af_packet:IFACE, "
    "net_tap:NAME, "
    "net_vhost:SOCKET, a PCI address such as 0000:03:00.0, or a DPDK device string such as "
    "net_bonding0,mode=1";

/// Accepts the devargs of DPDK: a numbered virtual device (net_virtio_user0,path=…), or BUS:DEVICE.
bool devargs(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(','));
  const bool virtual_device = name.starts_with("net_") || name.starts_with("eth_");
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos)
    return !virtual_device && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
           colon + 1 < name.size();
  return virtual_device && std::isdigit(static_cast<unsigned char>(name.back())) != 0;
}

Parsed<Device> named_form(Device device, const DeviceForm& form, const std::string& rest) {
  device.kind = form.kind;
  device.name = rest.substr(0, rest.find(','));
  const std::string example = "write for example " + std::string(form.example);
  if (device.name.empty()) return {std::string(form.prefix) + " is incomplete", example};
  if (form.kind == DeviceKind::kPcap && rest.find('=') == std::string::npos) {
    return {'"' + rest + "\" is not key=value", example};
  }
  if (form.kind == DeviceKind::kRing && rest != device.name)
    return {"a link has only a name, no options", example};
  return device;
}

}  // namespace

Parsed<Device> parse_device(const std::string& text) {
  Device device;
  device.text = text;
  if (text == "net_null" || text.starts_with("net_null,")) return device;
  const std::size_t comma = text.find(',');
  if (is_pci_address(std::string_view(text).substr(0, comma))) {
    device.kind = DeviceKind::kPci;
    device.name = text.substr(0, comma);
    return device;
  }
  const std::size_t colon = text.find(':');
  const std::string prefix = text.substr(0, colon);
  for (const DeviceForm& form : kForms) {
    if (form.prefix != prefix) continue;
    return named_form(std::move(device), form,
                      colon == std::string::npos ? std::string{} : text.substr(colon + 1));
  }
  if (devargs(text)) {
    device.kind = DeviceKind::kRaw;
    device.name = text.substr(0, comma);
    return device;
  }
  std::string fix = kAllForms;
  const std::array<std::string, 7> names = {"net_null",      "net_ring", "net_memif", "net_pcap",
                                            "net_af_packet", "net_tap",  "net_vhost"};
  if (const std::string* near = nearest(prefix, names)) fix = "did you mean " + *near + "? Otherwise " + fix;
  return {'"' + text + "\" is not a device", fix};
}

namespace {

CaptureConfig read_capture(Section s) {
  CaptureConfig capture;
  capture.where = s.where();
  s.require("file", capture.file, parse_text, "softfeb.pcap");
  s.read("packets", capture.packets, integer(1, 100'000'000));
  s.read("on", capture.on, choices::kCaptureMode);
  s.read("snaplen", capture.snaplen, integer(64, 65'535));
  s.read("direction", capture.direction, choices::kCaptureDirection);
  s.close();
  return capture;
}

}  // namespace

PortConfig read_port(Section s) {
  PortConfig port;
  port.where = s.where();
  s.require("name", port.name, parse_text, "p0");
  s.read("host", port.host_name, parse_text);
  s.require("device", port.device, parse_device, "net_null");
  s.read("mtu", port.mtu, integer(340, 16'128));
  s.read("flow_control", port.flow_control, choices::kFlowControl);
  s.read("promiscuous", port.promiscuous, choices::kPromiscuous);
  s.read("steering", port.steering, choices::kSteering);
  s.read("tx_segments", port.tx_segments, choices::kTxSegments);
  s.read("pacing", port.pacing, choices::kPacing);
  s.read("pacing_horizon", port.pacing_horizon,
         time_in(2 * kMicrosecond, 10 * kMillisecond, "a pacing horizon"));
  s.read("rx_descriptors", port.rx_descriptors, integer(32, 32'768));
  s.read("tx_descriptors", port.tx_descriptors, integer(32, 32'768));
  if (const Node* node = s.find("faults")) {
    port.faults = read_port_faults(Section(s.reading(), *node, s.pattern("faults")));
  }
  if (const Node* node = s.find("capture")) {
    port.capture = read_capture(Section(s.reading(), *node, s.pattern("capture")));
  }
  s.close();
  return port;
}

}  // namespace softfeb::config
