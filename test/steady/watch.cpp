// SPDX-License-Identifier: BSD-3-Clause
#include "watch.hpp"

#include <algorithm>

namespace softfeb::steady {

namespace {

thread_local Watch* current = nullptr;

const char* word(Deed deed) {
  switch (deed) {
    case Deed::kAllocation:
      return "allocation: ";
    case Deed::kLock:
      return "lock: ";
    case Deed::kOutput:
      return "output: ";
    case Deed::kSystemCall:
      return "system call ";
  }
  return "?";
}

}  // namespace

std::size_t Watch::system_calls(long number) const {
  const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(std::min(total_, kKept));
  return static_cast<std::size_t>(std::count_if(kept_.begin(), end, [number](const Note& n) {
    return n.deed == Deed::kSystemCall && n.number == number;
  }));
}

std::string Watch::text() const {
  std::string out;
  for (std::size_t i = 0; i < std::min(total_, kKept); ++i) {
    const Note& n = kept_[i];
    out +=
        word(n.deed) + (n.deed == Deed::kSystemCall ? std::to_string(n.number) : std::string(n.name)) + '\n';
  }
  if (total_ > kKept) out += "... " + std::to_string(total_) + " in all\n";
  return out;
}

void watch_this_thread(Watch* watch) noexcept { current = watch; }
Watch* watch_of_this_thread() noexcept { return current; }

}  // namespace softfeb::steady

/// Records an action of the calling thread if the thread is watched. interpose.cpp declares and calls this
/// function. There is no header for it, because headers would declare the functions that interpose.cpp
/// defines.
extern "C" void steady_note(int deed, const char* name) noexcept {
  if (auto* const watch = softfeb::steady::watch_of_this_thread())
    watch->note(static_cast<softfeb::steady::Deed>(deed), name);
}
