// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/register_spec.hpp"

#include <cstddef>
#include <span>

/// Register tables of the blocks, each defined in the file of the same name. Reset values are those of the
/// firmware, if the firmware defines them. SURF is SLAC's firmware library.
namespace softfeb::board::tables {

using Table = std::span<const RegisterSpec>;

Table axi_version();
Table sys_mon();
Table micron_n25q();
Table ten_gig_eth_reg();
Table udp_engine();
Table udp_engine_traffic_class();  ///< registers that newer SURF adds
Table fw_rudp_server(std::size_t link);
Table axis_mon();
Table roce_engine();
Table roce_engine_soft_reset();  ///< registers that newer SURF adds
Table dcqcn();
Table dcqcn_bypass();  ///< registers that newer SURF adds
Table sfp();
Table app_tx();
Table app_mem();
Table roce_dispatcher();
Table roce_checker();
Table traffic_gen();

}  // namespace softfeb::board::tables
