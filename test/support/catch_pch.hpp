// SPDX-License-Identifier: BSD-3-Clause
// What nearly all tests include. Compiled once for all of them (test/meson.build); no test may rely on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>
