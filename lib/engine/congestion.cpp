// SPDX-License-Identifier: BSD-3-Clause
#include "engine/congestion.hpp"

#include <new>

namespace softfeb::engine {

using congestion::AlgorithmSettings;

namespace {

congestion::PathFacts path_of(const AlgorithmSettings& settings, const ControlledQp& qp) {
  congestion::PathFacts path = settings.path;
  path.pmtu = qp.pmtu;
  path.messages = qp.messages;
  return path;
}

}  // namespace

std::size_t congestion_control_bytes(const CongestionSettings& profile, const ControlledQp& qp) {
  if (std::holds_alternative<dcqcn::FirmwareSettings>(profile)) return sizeof(dcqcn::FirmwareDcqcn);
  if (std::holds_alternative<dcqcn::PaperSettings>(profile)) return sizeof(dcqcn::PaperDcqcn);
  const auto* other = std::get_if<AlgorithmSettings>(&profile);
  return other == nullptr ? 0 : other->algorithm->bytes(path_of(*other, qp));
}

congestion::Hooks hooks_of(const CongestionSettings& profile) {
  const auto* other = std::get_if<AlgorithmSettings>(&profile);
  return other == nullptr ? congestion::Hooks{0} : other->algorithm->hooks();
}

bool observes_flight(const CongestionSettings& profile) {
  return (hooks_of(profile) & (congestion::kOnAck | congestion::kWindow)) != 0;
}

std::uint8_t congestion_profile(const CongestionSettings& profile) {
  const auto* other = std::get_if<AlgorithmSettings>(&profile);
  return other == nullptr ? std::uint8_t{0} : other->algorithm->header_profile();
}

congestion::CongestionControl* make_congestion_control(const CongestionSettings& profile, void* place,
                                                       const ControlledQp& qp) {
  if (const auto* firmware = std::get_if<dcqcn::FirmwareSettings>(&profile))
    return new (place) dcqcn::FirmwareDcqcn(*firmware);
  if (const auto* paper = std::get_if<dcqcn::PaperSettings>(&profile))
    return new (place) dcqcn::PaperDcqcn(*paper);
  const auto* other = std::get_if<AlgorithmSettings>(&profile);
  return other == nullptr ? nullptr : other->algorithm->make(place, other->values, path_of(*other, qp));
}

namespace {

/// Sets the parameters of `control`; returns kRefused if it is not a `Control`. `effective` contains the
/// parameters in the form in which the reaction point stores them.
template <class Control, class Parameters>
Change change_dcqcn(congestion::CongestionControl& control, const Parameters& parameters,
                    const Parameters& effective, Time now) {
  auto* const c = dynamic_cast<Control*>(&control);
  if (c == nullptr) return Change::kRefused;
  if (c->reaction_point().parameters() == effective) return Change::kNone;
  c->set_parameters(parameters, now);
  return Change::kMade;
}

}  // namespace

Change change_parameters(congestion::CongestionControl& control, const CongestionSettings& profile,
                         Time now) {
  if (const auto* firmware = std::get_if<dcqcn::FirmwareSettings>(&profile)) {
    const auto& p = firmware->parameters;
    return change_dcqcn<dcqcn::FirmwareDcqcn>(control, p, p.cut_to_width(), now);
  }
  if (const auto* paper = std::get_if<dcqcn::PaperSettings>(&profile))
    return change_dcqcn<dcqcn::PaperDcqcn>(control, paper->parameters, paper->parameters, now);
  const auto* other = std::get_if<AlgorithmSettings>(&profile);
  return other == nullptr ? Change::kRefused : other->algorithm->change(control, other->values, now);
}

}  // namespace softfeb::engine
