// SPDX-License-Identifier: BSD-3-Clause
#define CATCH_CONFIG_RUNNER
#include "catch_runner.hpp"

#include <catch2/catch.hpp>

int softfeb::test::run_catch(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
