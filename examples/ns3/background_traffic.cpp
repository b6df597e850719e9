// SPDX-License-Identifier: BSD-3-Clause
// An example of a user's own model. One switch connects the boards and the receiver of conf/lab/incast.yaml
// with a host that has ns-3's own IP stack. The host pings a board, and sends UDP datagrams to the receiver
// through the port that the boards share.
//   background_traffic FILE [UDP rate in Gb/s]

#include "base/exit_code.hpp"
#include "base/time.hpp"
#include "config/error.hpp"
#include "ecn_switch.hpp"
#include "ethernet_channel.hpp"
#include "ethernet_device.hpp"
#include "simulated_time.hpp"
#include "softfeb_nodes.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/global-value.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/on-off-helper.h>
#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/v4ping.h>

using namespace softfeb;
using ns3model::EthernetChannel;
using ns3model::EthernetDevice;
using ns3model::to_ns3;

namespace {

constexpr Time kBegin = kMillisecond;
constexpr Time kEnd = 51 * kMillisecond;
constexpr const char* kHost = "0.0.0.200";  // host part of 10.0.0.200, as Ipv4AddressHelper expects it

/// A switch with a port for each station. All links have 10 Gb/s.
class Network {
 public:
  explicit Network(const fabric::SwitchConfig& config)
      : node_(ns3::CreateObject<ns3::Node>()), switch_(ns3::CreateObject<ns3model::EcnSwitch>(config)) {
    numbers_ = ns3::CreateObject<ns3::UniformRandomVariable>();
  }

  void connect(const ns3::Ptr<EthernetDevice>& station) {
    const auto channel =
        ns3::CreateObjectWithAttributes<EthernetChannel>("Delay", ns3::TimeValue(to_ns3(500 * kNanosecond)));
    const auto port = ns3::CreateObject<EthernetDevice>();
    port->SetAddress(ns3::Mac48Address::Allocate());
    node_->AddDevice(port);
    station->attach(channel);
    port->attach(channel);
    switch_->add_port(port, roce::PauseMode::kPfc, [this] { return numbers_->GetValue(); });
  }

  const ns3model::SwitchPort& port(std::size_t i) const { return switch_->port(i); }

 private:
  ns3::Ptr<ns3::Node> node_;
  ns3::Ptr<ns3model::EcnSwitch> switch_;
  ns3::Ptr<ns3::UniformRandomVariable> numbers_;
};

/// Returns a host with ns-3's IP stack. Checksums are switched on, because boards drop packets with wrong
/// checksums and ns-3 writes none by default. The random delay of up to 10 ms before ns-3's ARP requests is
/// switched off.
ns3::Ptr<ns3::Node> make_host(Network& network) {
  ns3::GlobalValue::Bind("ChecksumEnabled", ns3::BooleanValue(true));
  ns3::Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                          ns3::StringValue("ns3::ConstantRandomVariable[Constant=0]"));
  const auto host = ns3::CreateObject<ns3::Node>();
  const auto device = ns3::CreateObject<EthernetDevice>();
  device->SetAddress(ns3::Mac48Address::Allocate());
  device->SetMtu(1500);
  host->AddDevice(device);
  network.connect(device);
  ns3::InternetStackHelper().Install(host);
  ns3::Ipv4AddressHelper("10.0.0.0", "255.255.255.0", kHost).Assign(host->GetDevice(0));
  return host;
}

/// Pings a board every 5 ms.
void ping(const ns3::Ptr<ns3::Node>& host, const roce::IpAddress& board, std::vector<double>& microseconds) {
  const auto ping = ns3::CreateObjectWithAttributes<ns3::V4Ping>(
      "Remote", ns3::Ipv4AddressValue(ns3::Ipv4Address(board.v4())), "Interval",
      ns3::TimeValue(to_ns3(5 * kMillisecond)));
  const auto add = +[](std::vector<double>* list, ns3::Time rtt) {
    list->push_back(static_cast<double>(rtt.GetNanoSeconds()) / 1e3);
  };
  ping->TraceConnectWithoutContext("Rtt", ns3::MakeBoundCallback(add, &microseconds));
  host->AddApplication(ping);
  ping->SetStartTime(to_ns3(kBegin));
}

/// Sends UDP datagrams of 1400 bytes at a constant rate.
void send_datagrams(const ns3::Ptr<ns3::Node>& host, const roce::IpAddress& to, double gbps) {
  ns3::OnOffHelper sender("ns3::UdpSocketFactory",
                          ns3::InetSocketAddress(ns3::Ipv4Address(to.v4()), std::uint16_t{9}));
  sender.SetConstantRate(ns3::DataRate(static_cast<std::uint64_t>(gbps * 1e9)), 1400);
  sender.Install(host).Start(to_ns3(kBegin));
}

void print(const ns3model::SoftfebNodes& nodes, const Network& network, const std::vector<double>& pings) {
  for (std::size_t b = 0; b < nodes.config().run.boards.size(); ++b)
    std::printf("%-8s %6.3f Gb/s of payload\n", nodes.names()[b].c_str(),
                static_cast<double>(nodes.completed_bytes(b)) * 8e3 / static_cast<double>(kEnd - kBegin));
  const fabric::PortSnapshot& port = network.port(nodes.names().size() - 1).counters;
  const auto queue = [&](std::size_t q) {
    return static_cast<double>(port.queues[q].tx_wire_bytes) * 8e3 / static_cast<double>(kEnd - kBegin);
  };
  std::printf("port     %6.3f Gb/s of RoCE and %.3f Gb/s of UDP on the wire, %llu packets marked\n", queue(3),
              queue(0), static_cast<unsigned long long>(port.ecn_marked));
  double sum = 0;
  for (const double rtt : pings) sum += rtt;
  std::printf("ping     %zu replies, %.3f us on average\n", pings.size(),
              pings.empty() ? 0 : sum / static_cast<double>(pings.size()));
}

int run(const std::string& file, double gbps) {
  ns3::Time::SetResolution(ns3::Time::PS);
  ns3model::SoftfebNodes nodes(file);
  const std::vector<fabric::SwitchConfig>& switches = nodes.config().network.switches;
  if (switches.empty())
    throw config::ConfigError(
        {{{file, 0, "network.switches"}, "the model needs a switch", "use a file with one"}});
  Network network(switches.front());
  for (const std::string& name : nodes.names()) {
    const auto device = ns3::CreateObject<EthernetDevice>();
    nodes.install(name, device);
    network.connect(device);
  }
  const ns3::Ptr<ns3::Node> host = make_host(network);
  std::vector<double> pings;
  ping(host, nodes.endpoint(nodes.names().front()).identity().ip, pings);
  if (gbps > 0) send_datagrams(host, nodes.endpoint(nodes.names().back()).identity().ip, gbps);
  nodes.start_traffic(kBegin);
  ns3::Simulator::Stop(to_ns3(kEnd));
  ns3::Simulator::Run();
  print(nodes, network, pings);
  ns3::Simulator::Destroy();
  return kDone;
}

/// Returns the rate in Gb/s, or a negative number if `text` is not a valid rate.
double parse_rate(const char* text) {
  char* end = nullptr;
  const double gbps = std::strtod(text, &end);
  return end != text && *end == '\0' && gbps <= 10 ? gbps : -1;
}

}  // namespace

int main(int argc, char** argv) {
  const double gbps = argc == 3 ? parse_rate(argv[2]) : 2;
  if (argc < 2 || argc > 3 || !(gbps >= 0)) {
    std::fprintf(stderr, "usage: background_traffic FILE [UDP rate in Gb/s, 0 to 10]\n");
    return kBadUsage;
  }
  try {
    return run(argv[1], gbps);
  } catch (const config::ConfigError& e) {
    std::fprintf(stderr, "background_traffic: %s\n", e.what());
    return kBadUsage;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "background_traffic: %s\n", e.what());
    return kEnvironment;
  }
}
