// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/doctor.hpp"
#include "dataplane/error.hpp"
#include "dataplane/flow_rules.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

namespace softfeb::dataplane {
namespace {

class Findings {
 public:
  explicit Findings(std::string port) : port_(std::move(port)) {}
  void add(const std::string& what, Health health, std::string found, std::string fix = "") {
    checks_.push_back({port_ + ' ' + what, health, std::move(found), std::move(fix)});
  }
  std::vector<Check> take() { return std::move(checks_); }

 private:
  std::string port_;
  std::vector<Check> checks_;
};

void describe_mtu(Findings& out, const Port& port) {
  const std::uint32_t v4 = port.largest_path_mtu(false);
  const std::string found = std::to_string(port.mtu()) + ": path MTU up to " + std::to_string(v4);
  const bool full = v4 == 4096;
  out.add("mtu",
          v4 == 0 ? Health::kBad
          : full  ? Health::kOk
                  : Health::kWarn,
          found, full ? "" : "for path MTU 4096: " + port.mtu_fix(mtu_for(4096, false)));
}

void describe_segments(Findings& out, const Capabilities& c) {
  out.add("payload", Health::kOk,
          c.multi_segments ? "attached without copying (mbuf chains)" : "copied (one segment)");
}

std::string speed(std::uint64_t bps) {
  return bps == 0 ? "speed unknown" : std::to_string(bps / 1'000'000) + " Mb/s";
}

void describe_steering(Findings& out, const Port& port) {
  if (port.config().queues < 2) {
    out.add("steering", Health::kOk, "one queue: nothing to steer");
    return;
  }
  // Documentation addresses (RFC 5737) and an arbitrary QPN.
  const std::vector<SteeredBoard> boards{{{}, roce::IpAddress::from_v4(0xc0000201), {0x11}, 0},
                                         {{}, roce::IpAddress::from_v4(0xc0000202), {0x11}, 1}};
  const FlowRules rules(port.id(), SteeringTier::kBth, 2, boards);
  out.add("steering", Health::kOk, to_string(rules.choice().tier) + ": " + rules.choice().reason);
}

/// Returns the state of the link. Waits up to 4 s for the link to come up, because autonegotiation, or the
/// connection to a vhost-user server, takes up to a few seconds after the start of a port.
LinkState settled_link(const Port& port) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + 4s;
  LinkState link = port.link();
  while (!link.up && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(20ms);
    link = port.link();
  }
  return link;
}

void describe(Findings& out, const Port& port) {
  const Capabilities& c = port.capabilities();
  out.add("device", Health::kOk,
          c.driver + ", MAC " + roce::to_string(c.mac) + ", " + std::to_string(c.max_rx_queues) + " rx and " +
              std::to_string(c.max_tx_queues) + " tx queues");
  describe_mtu(out, port);
  describe_segments(out, c);
  const LinkState link = settled_link(port);
  out.add("link", link.up ? Health::kOk : Health::kWarn, (link.up ? "up, " : "down, ") + speed(link.bps),
          link.up ? "" : "connect the other end (vhost and memif peers may connect later)");
  out.add("flow control", Health::kOk, port.flow_control().in_words);
  out.add("pacing", Health::kOk, pacing_text(probe_pacing(port.id())));
  describe_steering(out, port);
  for (const std::string& warning : port.warnings()) out.add("note", Health::kWarn, warning);
}

}  // namespace

std::vector<Check> check_port(const std::string& device_text, const PortConfig& config,
                              DeviceFactory& factory, Mempools& pools) {
  Findings out(config.name.empty() ? device_text : config.name);
  try {
    const DeviceSpec spec = parse_device(device_text);
    const DeviceRequest request{config.queues, frame_bytes_for(config.mtu.value_or(mtu_for(4096, true))),
                                config.rx_descriptors};
    const auto device = factory.attach(spec, request);
    PortConfig fitting = config;
    const Capabilities c = probe_capabilities(*device);
    fitting.queues = std::max<std::uint16_t>(1, std::min({config.queues, c.max_rx_queues, c.max_tx_queues}));
    const Port port(*device, fitting, pools);
    describe(out, port);
  } catch (const EnvironmentError& e) {
    out.add("device", Health::kBad, e.reason(), e.fix());
  } catch (const std::exception& e) {
    out.add("device", Health::kBad, e.what(), "correct the port's device");
  }
  return out.take();
}

}  // namespace softfeb::dataplane
