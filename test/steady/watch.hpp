// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// Records what a thread allocates, locks, prints, and requests from the kernel.
///
/// The program defines malloc() and other functions itself (interpose.cpp). It thereby detects allocations,
/// locks and output, even in libraries. System calls are detected by a seccomp filter (system_calls.cpp). A
/// lock that is taken without a function call (rte_spinlock) is not detected; a thread that waits for such a
/// lock seems to be working.
namespace softfeb::steady {

enum class Deed : std::uint8_t { kAllocation, kLock, kOutput, kSystemCall };

/// The actions of one thread while it was watched. The thread writes this object; others may read it after
/// the watch.
class Watch {
 public:
  void note(Deed deed, const char* name, long number = 0) noexcept {
    const std::size_t n = total_++;
    ++counts_[static_cast<std::size_t>(deed)];
    if (n < kept_.size()) kept_[n] = {deed, name, number};
  }

  std::size_t total() const { return total_; }
  std::size_t count(Deed deed) const { return counts_[static_cast<std::size_t>(deed)]; }
  /// Number of system calls with this number among the first kKept events.
  std::size_t system_calls(long number) const;
  /// Describes the first events, one per line.
  std::string text() const;

 private:
  static constexpr std::size_t kKept = 64;
  struct Note {
    Deed deed = Deed::kAllocation;
    const char* name = nullptr;
    long number = 0;  ///< number of the system call
  };
  std::array<Note, kKept> kept_{};
  std::array<std::size_t, 4> counts_{};
  std::size_t total_ = 0;
};

/// Starts to record the actions of the calling thread in `watch`; null stops the recording. Does not
/// allocate.
void watch_this_thread(Watch* watch) noexcept;
/// Returns the calling thread's log, or null.
Watch* watch_of_this_thread() noexcept;

/// Enables detection of system calls for the rest of the calling thread's life, because a filter cannot be
/// removed. Detected calls are still executed. Returns false and sets errno if the kernel does not support
/// filters.
bool see_system_calls() noexcept;

}  // namespace softfeb::steady
