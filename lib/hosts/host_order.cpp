// SPDX-License-Identifier: BSD-3-Clause
#include "hosts/host_order.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::hosts {

namespace {

bool same_host(const std::string& a, const std::string& b) {
  const std::size_t dot_a = a.find('.'), dot_b = b.find('.');
  if (dot_a != std::string::npos && dot_b != std::string::npos) return a == b;
  return a.substr(0, dot_a) == b.substr(0, dot_b);
}

}  // namespace

std::optional<std::size_t> find_host(const std::string& name, const std::vector<std::string>& hosts) {
  const auto at = std::find_if(hosts.begin(), hosts.end(),
                               [&name](const std::string& host) { return same_host(name, host); });
  return at == hosts.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - hosts.begin()));
}

std::vector<std::size_t> hosts_of_processes(const std::vector<std::string>& names,
                                            const std::vector<std::string>& hosts) {
  std::vector<std::size_t> by_rank(names.size());
  std::iota(by_rank.begin(), by_rank.end(), 0);
  std::vector<std::size_t> by_name;
  for (const std::string& name : names) {
    const auto host = find_host(name, hosts);
    if (!host) return by_rank;
    by_name.push_back(*host);
  }
  std::vector<std::size_t> sorted = by_name;
  std::sort(sorted.begin(), sorted.end());
  return sorted == by_rank ? by_name : by_rank;
}

}  // namespace softfeb::hosts
