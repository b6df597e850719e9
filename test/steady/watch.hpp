// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// Looks over a thread's shoulder: what it allocates, locks, prints, and asks the kernel for.
///
/// Allocations, locks and output are seen where they are called, by functions of the same names that this
/// program defines (interpose.cpp): libraries' own calls are seen as well. System calls are seen by the
/// kernel, whoever makes them (system_calls.cpp). Locks that are no call (rte_spinlock) are not seen; nobody
/// who waits for one can be told from one who works.
namespace softfeb::steady {

enum class Deed : std::uint8_t { kAllocation, kLock, kOutput, kSystemCall };

/// What one thread did while it was watched. Written by that thread; to be read when it is not watched any
/// more.
class Watch {
 public:
  void note(Deed deed, const char* name, long number = 0) noexcept {
    const std::size_t n = total_++;
    ++counts_[static_cast<std::size_t>(deed)];
    if (n < kept_.size()) kept_[n] = {deed, name, number};
  }

  std::size_t total() const { return total_; }
  std::size_t count(Deed deed) const { return counts_[static_cast<std::size_t>(deed)]; }
  /// System calls of this number, among the first kKept deeds.
  std::size_t system_calls(long number) const;
  /// The first deeds, a line each.
  std::string text() const;

 private:
  static constexpr std::size_t kKept = 64;
  struct Note {
    Deed deed = Deed::kAllocation;
    const char* name = nullptr;
    long number = 0;  ///< of a system call
  };
  std::array<Note, kKept> kept_{};
  std::array<std::size_t, 4> counts_{};
  std::size_t total_ = 0;
};

/// The calling thread is watched from here on; null: no more. Allocates nothing.
void watch_this_thread(Watch* watch) noexcept;
/// The calling thread's, null: none.
Watch* watch_of_this_thread() noexcept;

/// From here on system calls of the calling thread are seen, for the rest of its life: a filter cannot be
/// taken back. They are carried out all the same, watched or not. False, with errno, where the kernel has no
/// filters.
bool see_system_calls() noexcept;

}  // namespace softfeb::steady
