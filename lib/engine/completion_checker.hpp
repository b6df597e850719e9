// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::engine {

/// The firmware's WorkCompChecker: counts the work completions of the metadata bus's QPs, successful and
/// failed. Counts nothing while its reset is asserted.
class CompletionChecker {
 public:
  void count(std::uint64_t ok, std::uint64_t failed) {
    if (reset_) return;
    ok_ += ok;
    failed_ += failed;
  }

  void set_reset(bool level) {
    reset_ = level;
    if (level) ok_ = failed_ = 0;
  }

  std::uint64_t ok() const { return ok_; }
  std::uint64_t failed() const { return failed_; }

 private:
  std::uint64_t ok_ = 0;
  std::uint64_t failed_ = 0;
  bool reset_ = false;
};

}  // namespace softfeb::engine
