// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/memory.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "engine/receiver.hpp"

#include <cstddef>
#include <cstdint>

namespace softfeb::endpoints {

/// Configuration of receiver `r` without queue pairs. `qps`: number of queue pairs to be added.
engine::ReceiverConfig receiver_config_of(const config::RunConfig& config, std::size_t r, std::size_t qps);

/// Adds the QP that receives from the QP of `plan`, with the receiver's maps and the receiving side of Homa,
/// if this QP needs them. `memory`: memory of the receiver. `qps`: number of queue pairs of the receiver.
void add_receive_qp(const config::RunConfig& config, const QpPlan& plan, const Payloads& payloads,
                    ReceiverMemory& memory, std::size_t qps, engine::ReceiverConfig& receiver);

}  // namespace softfeb::endpoints
