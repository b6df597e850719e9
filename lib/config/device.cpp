// SPDX-License-Identifier: BSD-3-Clause
#include "config/device.hpp"

#include "config/nearest.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace softfeb::config {
namespace {

struct Form {
  std::string_view prefix;  ///< before the colon
  DeviceKind kind;
  std::string_view example;
};

constexpr std::array<Form, 6> kForms = {
    {{"net_ring", DeviceKind::kRing, "net_ring:link0"},
     {"net_memif", DeviceKind::kMemif, "net_memif:role=client,socket=/tmp/memif.sock"},
     {"net_pcap", DeviceKind::kPcap, "net_pcap:tx_pcap=out.pcap"},
     {"net_af_packet", DeviceKind::kAfPacket, "net_af_packet:eth0"},
     {"net_tap", DeviceKind::kTap, "net_tap:feb0"},
     {"net_vhost", DeviceKind::kVhost, "net_vhost:/tmp/vhost.sock"}}};

constexpr const char* kAllForms =
    "write net_null, net_ring:LINK, net_memif:ARGS, net_pcap:ARGS, net_af_packet:IFACE, net_tap:NAME, "
    "net_vhost:SOCKET, a PCI address such as 0000:03:00.0, or a DPDK device string such as "
    "net_bonding0,mode=1";

bool all_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

/// [DDDD:]BB:DD.F with the domain added where it is left out; empty when `text` is not one.
std::string pci_address(std::string_view text) {
  std::string full(text);
  if (full.size() == 7) full = "0000:" + full;
  if (full.size() != 12 || full[4] != ':' || full[7] != ':' || full[10] != '.') return {};
  const std::string_view view = full;
  const bool ok = all_hex(view.substr(0, 4)) && all_hex(view.substr(5, 2)) && all_hex(view.substr(8, 2)) &&
                  full[11] >= '0' && full[11] <= '7';
  return ok ? full : std::string{};
}

/// A DPDK virtual device: lower case letters, digits and underscores, then key=value arguments.
bool devargs(std::string_view text) {
  const std::string_view driver = text.substr(0, text.find(','));
  return driver.size() > 3 && std::isalpha(static_cast<unsigned char>(driver[0])) != 0 &&
         std::isdigit(static_cast<unsigned char>(driver.back())) != 0 &&
         std::all_of(driver.begin(), driver.end(), [](unsigned char c) {
           return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
         });
}

Parsed<Device> named_form(Device device, const Form& form, std::string rest) {
  device.kind = form.kind;
  if (rest.empty())
    return {std::string(form.prefix) + " needs more", "write for example " + std::string(form.example)};
  if (form.kind == DeviceKind::kMemif || form.kind == DeviceKind::kPcap) {
    if (rest.find('=') == std::string::npos) {
      return {'"' + rest + "\" is not key=value", "write for example " + std::string(form.example)};
    }
    device.args = std::move(rest);
    return device;
  }
  if (form.kind == DeviceKind::kVhost) {
    const std::size_t comma = rest.find(',');
    const std::string role = comma == std::string::npos ? "server" : rest.substr(comma + 1);
    if (role != "server" && role != "client") {
      return {"unknown role \"" + role + '"',
              "write net_vhost:SOCKET, net_vhost:SOCKET,server or net_vhost:SOCKET,client"};
    }
    device.vhost_client = role == "client";
    rest.resize(std::min(comma, rest.size()));
  }
  if (rest.empty() || rest.find_first_of(", ") != std::string::npos) {
    return {'"' + rest + "\" is not a name", "write for example " + std::string(form.example)};
  }
  device.name = std::move(rest);
  return device;
}

}  // namespace

Parsed<Device> parse_device(const std::string& text) {
  Device device;
  device.text = text;
  if (text == "net_null") return device;
  const std::size_t comma = text.find(',');
  if (std::string pci = pci_address(std::string_view(text).substr(0, comma)); !pci.empty()) {
    device.kind = DeviceKind::kPci;
    device.name = std::move(pci);
    if (comma != std::string::npos) device.args = text.substr(comma + 1);
    return device;
  }
  const std::size_t colon = text.find(':');
  const std::string prefix = text.substr(0, colon);
  for (const Form& form : kForms) {
    if (form.prefix != prefix) continue;
    return named_form(std::move(device), form,
                      colon == std::string::npos ? std::string{} : text.substr(colon + 1));
  }
  if (devargs(text)) {
    device.kind = DeviceKind::kDevargs;
    device.args = text;
    return device;
  }
  std::string fix = kAllForms;
  const std::array<std::string, 7> names = {"net_null",      "net_ring", "net_memif", "net_pcap",
                                            "net_af_packet", "net_tap",  "net_vhost"};
  if (const std::string* near = nearest(prefix, names)) fix = "did you mean " + *near + "? Otherwise " + fix;
  return {'"' + text + "\" is no device", fix};
}

}  // namespace softfeb::config
