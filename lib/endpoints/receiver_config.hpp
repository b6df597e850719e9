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

/// Configuration of receiver `r` without queue pairs. `qps` is the number of queue pairs that will be added.
engine::ReceiverConfig receiver_config_of(const config::RunConfig& config, std::size_t r, std::size_t qps);

/// Adds the QP that receives from the QP of `plan`. Also sets up the receiver's maps and the receiving side
/// of Homa, if the QP needs them. `memory` is the memory of the receiver, and `qps` the number of its queue
/// pairs.
void add_receive_qp(const config::RunConfig& config, const QpPlan& plan, const Payloads& payloads,
                    ReceiverMemory& memory, std::size_t qps, engine::ReceiverConfig& receiver);

}  // namespace softfeb::endpoints
