// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/qp_congestion.hpp"

namespace softfeb::endpoints {

const config::CongestionConfig& congestion_config_of(const config::BoardConfig& board,
                                                     const config::QpConfig& qp) {
  return qp.congestion ? *qp.congestion : board.congestion;
}

engine::CongestionSettings congestion_of(const config::CongestionConfig& d) {
  switch (d.algorithm) {
    case config::CongestionConfig::Algorithm::kFirmware:
      return d.firmware;
    case config::CongestionConfig::Algorithm::kPaper:
      return d.paper;
    case config::CongestionConfig::Algorithm::kOther:
      return d.other;
    case config::CongestionConfig::Algorithm::kOff:
      break;
  }
  return {};
}

dcqcn::FirmwareSettings bus_congestion(const config::BoardConfig& board) {
  if (board.congestion.algorithm == config::CongestionConfig::Algorithm::kFirmware)
    return board.congestion.firmware;
  return {};
}

std::optional<std::uint32_t> CongestionGroups::of(const QpPlan& plan, const config::CongestionConfig& c) {
  if (c.scope == config::CongestionConfig::Scope::kQp) return std::nullopt;
  const roce::IpAddress peer =
      c.scope == config::CongestionConfig::Scope::kIpPair ? plan.target.ip : roce::IpAddress{};
  const auto next = static_cast<std::uint32_t>(numbers_.size());
  return numbers_.try_emplace({plan.board, &c, peer}, next).first->second;
}

}  // namespace softfeb::endpoints
