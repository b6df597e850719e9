// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/block.hpp"
#include "board/board_registers.hpp"

#include <cstddef>
#include <memory>

/// Each register block is implemented in the file of the same name. The factory functions initialise the
/// words that depend on the board. Apart from RoceEngine, which is a class, a block without a factory
/// function is plain memory.
namespace softfeb::board::blocks {

using Config = BoardRegistersConfig;

std::unique_ptr<Block> axi_version(BlockWords words, const Config& config, const Profile& profile);
std::unique_ptr<Block> ten_gig_eth_reg(BlockWords words, const Config& config);
std::unique_ptr<Block> udp_engine(BlockWords words, const Config& config, bool traffic_class);
std::unique_ptr<Block> fw_rudp_server(std::size_t link);
std::unique_ptr<Block> axis_mon(StreamMonitor& to_client, StreamMonitor& from_client);
std::unique_ptr<Block> dcqcn(BlockWords words, const Config& config, std::size_t slot, bool bypass);
std::unique_ptr<Block> sfp(BlockWords words, const Config& config);
std::unique_ptr<Block> app_tx(AppTx& app_tx);
std::unique_ptr<Block> roce_dispatcher();
std::unique_ptr<Block> roce_checker();
std::unique_ptr<Block> traffic_gen(BlockWords words, const TrafficGenSettings& settings);

}  // namespace softfeb::board::blocks
