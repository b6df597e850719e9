// SPDX-License-Identifier: BSD-3-Clause
#include "engine/congestion.hpp"

#include <new>

namespace softfeb::engine {

std::size_t congestion_control_bytes(const CongestionSettings& profile) {
  if (std::holds_alternative<dcqcn::FirmwareSettings>(profile)) return sizeof(dcqcn::FirmwareDcqcn);
  if (std::holds_alternative<dcqcn::PaperSettings>(profile)) return sizeof(dcqcn::PaperDcqcn);
  return 0;
}

congestion::CongestionControl* make_congestion_control(const CongestionSettings& profile, void* place) {
  if (const auto* firmware = std::get_if<dcqcn::FirmwareSettings>(&profile))
    return new (place) dcqcn::FirmwareDcqcn(*firmware);
  if (const auto* paper = std::get_if<dcqcn::PaperSettings>(&profile))
    return new (place) dcqcn::PaperDcqcn(*paper);
  return nullptr;
}

Change change_parameters(congestion::CongestionControl& control, const CongestionSettings& profile,
                         Time now) {
  if (const auto* firmware = std::get_if<dcqcn::FirmwareSettings>(&profile)) {
    auto* const c = dynamic_cast<dcqcn::FirmwareDcqcn*>(&control);
    if (c == nullptr) return Change::kRefused;
    if (c->reaction_point().parameters() == firmware->parameters.cut_to_width()) return Change::kNone;
    c->set_parameters(firmware->parameters, now);
    return Change::kMade;
  }
  if (const auto* paper = std::get_if<dcqcn::PaperSettings>(&profile)) {
    auto* const c = dynamic_cast<dcqcn::PaperDcqcn*>(&control);
    if (c == nullptr) return Change::kRefused;
    if (c->reaction_point().parameters() == paper->parameters) return Change::kNone;
    c->set_parameters(paper->parameters, now);
    return Change::kMade;
  }
  return Change::kRefused;
}

}  // namespace softfeb::engine
