// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/block.hpp"
#include "board/board_registers.hpp"

#include <cstddef>
#include <memory>

/// What answers behind the registers of each block, in the file of its name. The makers set up the words that
/// depend on the board; a block without one is memory alone.
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

}  // namespace softfeb::board::blocks
