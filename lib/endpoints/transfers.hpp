// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "engine/receiver.hpp"
#include "engine/send_qp.hpp"
#include "engine/transfer.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace softfeb::endpoints {

/// A group of queue pairs that send transfers together.
struct TransferGroup {
  std::optional<std::size_t> receiver;  ///< empty if the receiver is remote
  bool registered = false;
  std::unique_ptr<engine::TransferProgress> progress;
};

/// The transfers of a run.
struct Transfers {
  /// Times at which transfers were posted, indexed like RunConfig::receivers, and then by the board that
  /// sends to the receiver.
  std::vector<std::map<std::size_t, std::unique_ptr<engine::TransferTimes>>> times;
  std::vector<TransferGroup> groups;

  /// Completes the configuration `qp` of a QP that sends transfers. Also completes the configuration of its
  /// receiver if the receiver is in this process; `receivers` contains the configurations of these receivers.
  void add(const config::RunConfig& config, const QpPlan& plan, engine::SendQpConfig& qp,
           std::vector<engine::ReceiverConfig>& receivers);

 private:
  engine::TransferTimes* times_of(const config::RunConfig& config, const QpPlan& plan);
};

}  // namespace softfeb::endpoints
