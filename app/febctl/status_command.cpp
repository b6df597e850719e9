// SPDX-License-Identifier: BSD-3-Clause
#include "access.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "value.hpp"

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

struct Section {
  const char* title;
  std::vector<const char*> patterns;
};

/// Registers shown in each section. Patterns that match no register of the profile are ignored.
const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"board",
       {"AxiVersion.FpgaVersion", "AxiVersion.UpTimeCnt", "AxiVersion.BuildStamp", "AxiVersion.GitHash",
        "UdpEngine.LocalIpRaw", "UdpEngine.LocalMacRaw", "UdpEngine.ClientRemoteIpRaw*",
        "UdpEngine.ClientRemotePortRaw*"}},
      {"links",
       {"FwRudpServer*.ConnState", "FwRudpServer*.curMax*Seg*", "FwRudpServer*.RetransmitCnt",
        "FwRudpServer*.DropCnt", "FwRudpServer*.ReconnectCnt"}},
      {"port",
       {"TenGigEthReg.phyReady", "TenGigEthReg.?xFrameCnt", "TenGigEthReg.?xPauseCnt",
        "TenGigEthReg.rxOverFlowCnt", "TenGigEthReg.rxCrcErrorCnt"}},
      {"dispatcher",
       {"RoceDispatcher.SQpn", "RoceDispatcher.Len", "RoceDispatcher.RKey", "RoceDispatcher.RemAddr",
        "RoceDispatcher.AddrWrapCount", "RoceChecker.*Counter"}},
      {"congestion control",
       {"RoceEngine.Dcqcn.*", "RoceEngine.Dcqcn[?].Rc", "RoceEngine.Dcqcn[?].CnpCounter"}},
      {"stream", {"AppTx.FrameSize", "AppTx.FrameCnt", "AppTx.ContinuousMode", "AxisMon.Ch*.FrameCnt"}},
  };
  return all;
}

std::vector<Register> registers_of(const Catalogue& catalogue, const Section& section) {
  std::vector<Register> registers;
  for (const char* pattern : section.patterns) {
    try {
      for (const Register& reg : catalogue.resolve(pattern)) {
        if (reg.readable()) registers.push_back(reg);
      }
    } catch (const UsageError&) {
      continue;
    }
  }
  return registers;
}

/// Shortens a path such as "Root.Core.FwRudpServer[0].ConnState" to "FwRudpServer[0].ConnState".
std::string short_path(const std::string& path) {
  const std::size_t last = path.rfind('.');
  const std::size_t before = last == 0 ? std::string::npos : path.rfind('.', last - 1);
  return before == std::string::npos ? path : path.substr(before + 1);
}

}  // namespace

void status_command(Context& context) {
  std::string text;
  nlohmann::json json;
  for (const Section& section : sections()) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", section.title);
    for (const Reading& r : read_registers(context.board(), registers_of(context.catalogue, section))) {
      const std::string value = r.error.empty() ? value_text(r.reg, r.bits) : "refused";
      text += fmt::format("  {:<36} {}\n", short_path(r.reg.path), value);
      json[section.title][r.reg.path] =
          r.error.empty() ? value_json(r.reg, r.bits) : nlohmann::json{{"error", r.error}};
    }
  }
  context.out.result(text, json);
}

}  // namespace softfeb::febctl
