// SPDX-License-Identifier: BSD-3-Clause
#include "catch_runner.hpp"

int main(int argc, char* argv[]) { return softfeb::test::run_catch(argc, argv); }
