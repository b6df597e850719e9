// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins that softfeb must refuse. Each has one mistake in its description, which WRONG selects.
#include "plugins/congestion_plugin.hpp"

namespace {

using namespace softfeb_plugin;

class Wrong final : public Control {
 public:
  Wrong(const double*, const Path&) {}
  void parameters(const double*, Time) override {}
};

constexpr Plugin wrong() {
  Plugin p = plugin_of<Wrong>({.name = "wrong", .summary = ""});
#if WRONG == 1
  p.version = 99;
#elif WRONG == 2
  p.description_size -= 8;
#elif WRONG == 3
  p.description.name = "Not a key";
#elif WRONG == 4
  p.description.name = "swift";
#elif WRONG == 5
  p.description.parameters = {{"gain", Unit::kReal, 0, 1, 2, "its default is out of bounds"}};
#elif WRONG == 6
  p.description.parameters = {{"scope", Unit::kReal, 0, 1, 1, "a key of softfeb"}};
#elif WRONG == 7
  p.description.header_profile = 3;
#elif WRONG == 9
  p.description.events = kRanks;
#endif
  return p;
}

}  // namespace

#if WRONG != 8
extern "C" constexpr Plugin softfeb_congestion_plugin = wrong();
#endif
