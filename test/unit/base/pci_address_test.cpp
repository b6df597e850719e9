// SPDX-License-Identifier: BSD-3-Clause
#include "base/pci_address.hpp"

#include <catch2/catch.hpp>

using softfeb::is_pci_address;

TEST_CASE("PCI addresses have an optional domain, bus, device and function", "[base][pci]") {
  for (const char* good : {"3b:00.0", "0000:3b:00.7", "00000001:3B:1f.3", "10000:01:00.0"}) {
    CAPTURE(good);
    CHECK(is_pci_address(good));
  }
  for (const char* bad : {"", "0", "3b:00", "3b:00.8", "3b:00.0,arg=1", "b:00.0", "3g:00.0", "000:3b:00.0",
                          "000000000:3b:00.0", ":3b:00.0", "0000 3b:00.0", "x0000:3b:00.0", "0000:3b.00.0"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_pci_address(bad));
  }
}
