// SPDX-License-Identifier: BSD-3-Clause
// Headers that nearly all tests include. They are compiled once for all tests (test/meson.build), but no test
// may rely on this file.
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
