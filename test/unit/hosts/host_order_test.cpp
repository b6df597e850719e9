// SPDX-License-Identifier: BSD-3-Clause
#include "hosts/host_order.hpp"

#include <catch2/catch.hpp>

using softfeb::hosts::hosts_of_processes;
using Names = std::vector<std::string>;
using Order = std::vector<std::size_t>;

TEST_CASE("a host is found by its name, with or without the domain") {
  CHECK(softfeb::hosts::find_host("rx", {"tx", "rx"}) == 1);
  CHECK(softfeb::hosts::find_host("rx.lab", {"tx", "rx"}) == 1);
  CHECK_FALSE(softfeb::hosts::find_host("rx.lab", {"tx", "rx.home"}));
}

TEST_CASE("processes are the hosts of their names") {
  CHECK(hosts_of_processes({"rx", "tx1", "tx2"}, {"tx1", "tx2", "rx"}) == Order{2, 0, 1});
  CHECK(hosts_of_processes({"rx.lab.example", "tx.lab.example"}, {"tx", "rx"}) == Order{1, 0});
  CHECK(hosts_of_processes({"rx", "tx"}, {"tx.lab", "rx.lab"}) == Order{1, 0});
}

TEST_CASE("if the names are not those of the hosts, the order of ranks decides") {
  CHECK(hosts_of_processes({"a", "b"}, {"tx", "rx"}) == Order{0, 1});
  CHECK(hosts_of_processes({"rx", "rx"}, {"tx", "rx"}) == Order{0, 1});
  CHECK(hosts_of_processes({"rx.one", "tx.one"}, {"tx.two", "rx.two"}) == Order{0, 1});
}
