// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_service.hpp"
#include "telemetry/links.hpp"

namespace softfeb::app {

/// The boards' slow control as the live page sees it.
class ControlViews final : public telemetry::Links {
 public:
  /// `service` outlives this.
  explicit ControlViews(const ControlService& service) : service_(service) {}

  std::vector<telemetry::LinkView> links() const override;

 private:
  const ControlService& service_;
};

}  // namespace softfeb::app
