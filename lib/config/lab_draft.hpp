// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "config/section.hpp"
#include "fabric/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The sections `lab` and `network` as parsed: names are not resolved and `count` is not expanded. Internal
/// to the loader.
namespace softfeb::config {

struct SwitchDraft {
  fabric::SwitchConfig config;
  std::uint32_t count = 1;
  Where where;
};

struct LinkDraft {
  std::array<std::string, 2> ends;  ///< a name, or FIRST..LAST
  std::array<Where, 2> ends_where;
  fabric::LinkConfig config;  ///< except its ends
  Where where;
};

struct LabDraft {
  LabSettings lab;
  std::string bottleneck;  ///< SWITCH.PEER; empty: not given
  Where bottleneck_where;

  std::optional<std::size_t> worker;  ///< worker of the network
  std::uint32_t mtu = 4200;           ///< MTU of every link: bytes of an IP packet
  std::vector<SwitchDraft> switches;
  std::vector<LinkDraft> links;
  Where network_where;
};

/// Reads section `lab` into `draft`.
void read_lab(Section section, LabDraft& draft);
/// Reads section `network` into `draft`.
void read_network(Section section, LabDraft& draft);
SwitchDraft read_switch(Section section);

}  // namespace softfeb::config
