// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/device.hpp"
#include "config/draft.hpp"
#include "config/units.hpp"

namespace softfeb::config {
namespace {

FaultConfig read_port_faults(Section s) {
  FaultConfig faults;
  faults.where = s.where();
  s.read("seed", faults.seed, integer(0, UINT64_MAX));
  s.read("tx_drop", faults.tx_drop, parse_probability);
  s.read("rx_drop", faults.rx_drop, parse_probability);
  s.read("tx_corrupt", faults.tx_corrupt, parse_probability);
  s.read("tx_duplicate", faults.tx_duplicate, parse_probability);
  s.read("tx_reorder", faults.tx_reorder, parse_probability);
  s.read("tx_mark_ce", faults.tx_mark_ce, parse_probability);
  s.close();
  return faults;
}

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

Parsed<Time> parse_horizon(const std::string& text) {
  auto time = parse_time(text);
  if (time.value && (*time.value < 2 * kMicrosecond || *time.value > 10 * kMillisecond))
    return {text + " is out of range", "write a time from 2us to 10ms"};
  return time;
}

}  // namespace

PortConfig read_port(Section s) {
  PortConfig port;
  port.where = s.where();
  s.require("name", port.name, parse_text, "p0");
  s.require("device", port.device, parse_device, "net_null");
  s.read("mtu", port.mtu, integer(340, 16'128));
  s.read("flow_control", port.flow_control, choices::kFlowControl);
  s.read("promiscuous", port.promiscuous, choices::kPromiscuous);
  s.read("steering", port.steering, choices::kSteering);
  s.read("tx_segments", port.tx_segments, choices::kTxSegments);
  s.read("pacing", port.pacing, choices::kPacing);
  s.read("pacing_horizon", port.pacing_horizon, parse_horizon);
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
