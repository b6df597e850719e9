// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::hosts {

/// Returns the element of `hosts` that `name` names; none if there is no such element. Names may include
/// domains, which are ignored if one of the two names has none.
std::optional<std::size_t> find_host(const std::string& name, const std::vector<std::string>& hosts);

/// Returns the host of each process, as an index into `hosts`. `names`: host name of each process; as many
/// as `hosts`. If these names are those of `hosts`, in any order, each process is the host of its name.
/// Otherwise, the processes are the hosts in the order of their ranks.
std::vector<std::size_t> hosts_of_processes(const std::vector<std::string>& names,
                                            const std::vector<std::string>& hosts);

}  // namespace softfeb::hosts
