// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/context.hpp"
#include "switchtest/fabric_paths.hpp"
#include "switchtest/next_hops.hpp"
#include "switchtest/tests.hpp"

#include <set>

namespace softfeb::switchtest {

void run_ecmp(Context& ctx) {
  const Roles& roles = ctx.roles();
  if (roles.next_hops.size() > 1) return NextHops(ctx).run();
  const std::set<std::uint16_t> ports{roles.a, roles.d, roles.b.value_or(roles.a), roles.e.value_or(roles.a)};
  if (ports.size() == 4) return FabricPaths(ctx).run();
  ctx.unresolvable(
      "the test needs either four ports, or ports to which the switch spreads the frames for one address");
}

}  // namespace softfeb::switchtest
