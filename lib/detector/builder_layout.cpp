// SPDX-License-Identifier: BSD-3-Clause
#include "detector/builder_layout.hpp"

#include <cstddef>

namespace softfeb::detector {

std::vector<LayoutDifference> compare_layouts(const BuilderLayout& boards, const BuilderLayout& builder) {
  const auto sent = values_of(boards);
  const auto built = values_of(builder);
  std::vector<LayoutDifference> list;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (sent[i].value != built[i].value) list.push_back({sent[i].name, sent[i].value, built[i].value});
  }
  return list;
}

}  // namespace softfeb::detector
