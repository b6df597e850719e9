// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/huge_heap.hpp"

// The test is left out with clang, because the clang build uses sanitizers, which have a heap of their own.
#ifndef __clang__

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

struct Mapping {
  bool is_heap = false;
  bool asks_for_huge_pages = false;
};

/// Returns the mapping of this process that contains `address`, as in /proc/self/smaps.
Mapping mapping_of(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  Mapping out;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      inside = begin <= at && at < end;
      if (inside) out.is_heap = line.find("[heap]") != std::string::npos;
    } else if (inside && line.starts_with("VmFlags:")) {
      out.asks_for_huge_pages = line.find(" hg") != std::string::npos;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("huge heap: large blocks are in heap memory that asks for huge pages", "[heap]") {
  experiment::use_huge_heap();
  experiment::use_huge_heap();
  // The blocks are too large for memory that earlier tests have freed.
  for (const std::size_t bytes : {std::size_t{20} << 20, std::size_t{30} << 20}) {
    const auto block = std::make_unique<std::uint8_t[]>(bytes);
    const Mapping found = mapping_of(block.get() + bytes / 2);
    CHECK(found.is_heap);
    CHECK(found.asks_for_huge_pages);
  }
}
#endif
