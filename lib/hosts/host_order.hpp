// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::hosts {

/// Returns the index of the host `name` in `hosts`; nullopt if it is not there. Names may include domains,
/// which are ignored if one of the two names has no domain.
std::optional<std::size_t> find_host(const std::string& name, const std::vector<std::string>& hosts);

/// Returns the host of each process, as an index into `hosts`. `names` contains the host name of each
/// process; there are as many processes as hosts. If these names are those in `hosts`, in any order, each
/// process gets the host with its name. Otherwise, process i (the process with rank i) gets host i.
std::vector<std::size_t> hosts_of_processes(const std::vector<std::string>& names,
                                            const std::vector<std::string>& hosts);

}  // namespace softfeb::hosts
