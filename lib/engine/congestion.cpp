// SPDX-License-Identifier: BSD-3-Clause
#include "engine/congestion.hpp"

namespace softfeb::engine {

std::unique_ptr<dcqcn::CongestionControl> make_congestion_control(const CongestionProfile& profile) {
  if (const auto* firmware = std::get_if<dcqcn::FirmwareProfile>(&profile)) {
    return std::make_unique<dcqcn::FirmwareDcqcn>(*firmware);
  }
  if (const auto* paper = std::get_if<dcqcn::PaperProfile>(&profile)) {
    return std::make_unique<dcqcn::PaperDcqcn>(*paper);
  }
  return nullptr;
}

bool change_parameters(dcqcn::CongestionControl& control, const CongestionProfile& profile, Time now) {
  if (const auto* firmware = std::get_if<dcqcn::FirmwareProfile>(&profile)) {
    auto* const c = dynamic_cast<dcqcn::FirmwareDcqcn*>(&control);
    if (c != nullptr) c->set_parameters(firmware->parameters, now);
    return c != nullptr;
  }
  if (const auto* paper = std::get_if<dcqcn::PaperProfile>(&profile)) {
    auto* const c = dynamic_cast<dcqcn::PaperDcqcn*>(&control);
    if (c != nullptr) c->set_parameters(paper->parameters, now);
    return c != nullptr;
  }
  return false;
}

}  // namespace softfeb::engine
