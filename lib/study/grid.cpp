// SPDX-License-Identifier: BSD-3-Clause
#include "study/grid.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::study {

Grid::Grid(std::vector<config::SweepAxis> axes) : axes_(std::move(axes)) {
  for (const config::SweepAxis& axis : axes_) size_ *= axis.values.size();
}

std::vector<std::string> Grid::values(std::size_t point) const {
  std::vector<std::string> out(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    const std::vector<std::string>& values = axes_[a].values;
    out[a] = values[point % values.size()];
    point /= values.size();
  }
  return out;
}

std::vector<std::string> Grid::overrides(std::size_t point) const {
  std::vector<std::string> out = values(point);
  for (std::size_t a = 0; a < out.size(); ++a) out[a] = axes_[a].key + '=' + out[a];
  return out;
}

std::string Grid::heading(std::size_t axis) const {
  const auto last = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  const std::string name = last(axes_[axis].key);
  const auto same = [&](const config::SweepAxis& other) { return last(other.key) == name; };
  return std::count_if(axes_.begin(), axes_.end(), same) == 1 ? name : axes_[axis].key;
}

std::string Grid::name(std::size_t point) const {
  const std::vector<std::string> own = values(point);
  std::string out;
  for (std::size_t a = 0; a < own.size(); ++a) out += (a == 0 ? "" : " ") + heading(a) + '=' + own[a];
  return out;
}

}  // namespace softfeb::study
