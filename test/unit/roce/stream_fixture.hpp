// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "roce/payload.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace softfeb::roce::test {

inline std::vector<std::uint8_t> random_bytes(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::uint8_t> v(n);
  for (auto& b : v) b = static_cast<std::uint8_t>(rng.next());
  return v;
}

/// A payload stream from a vector. It restarts every `pass` bytes, or never if `pass` is 0.
class VectorStream final : public PayloadStream {
 public:
  explicit VectorStream(std::vector<std::uint8_t> data, std::uint64_t pass = 0)
      : data_(std::move(data)), pass_(pass) {}

  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override {
    if (pass_ != 0) offset %= pass_;
    return offset <= data_.size() && length <= data_.size() - offset ? data_.data() + offset : nullptr;
  }
  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  std::vector<std::uint8_t> data_;
  std::uint64_t pass_;
};

}  // namespace softfeb::roce::test
