// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

int main(int argc, char** argv) { return softfeb::app::run_command_line(argc, argv, {}); }
