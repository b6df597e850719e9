// SPDX-License-Identifier: BSD-3-Clause
// Tests the detector that steady_test.cpp uses. The detector must report each action that is forbidden for
// a worker.
#include "steady_rig.hpp"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include <catch2/catch.hpp>
#include <rte_log.h>
#include <rte_malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace softfeb::steady;
using softfeb::dataplane::IdlePolicy;

namespace {

/// Makes the compiler treat `p` as used, so that it does not remove the code that computes `p`.
void keep(void* p) { asm volatile("" : : "r"(p) : "memory"); }

/// Runs a worker on net_null that executes `deed` once, and returns what was detected.
Watch misbehaved(std::function<void()> deed) {
  SteadyRig rig({.ring = false});
  rig.run(1000);
  Probe& probe = rig.probe(0);
  probe.begin();
  probe.misbehave(std::move(deed));
  probe.end();
  REQUIRE(probe.error() == 0);
  return probe.watch();
}

struct Case {
  const char* name;
  Deed deed;
  std::size_t times;
  std::function<void()> action;
};

std::mutex a_mutex;
std::shared_mutex a_lock;

}  // namespace

TEST_CASE("forbidden calls of a worker are detected", "[steady]") {
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  const std::string text = "once";
  const std::vector<Case> cases{
      {"malloc, free", Deed::kAllocation, 2,
       [] {
         void* const p = std::malloc(16);
         keep(p);
         std::free(p);
       }},
      {"calloc, realloc, free", Deed::kAllocation, 3,
       [] {
         void* p = std::calloc(4, 16);
         keep(p);
         p = std::realloc(p, 128);
         keep(p);
         std::free(p);
       }},
      {"new, delete", Deed::kAllocation, 2, [] { keep(std::make_unique<int>(7).get()); }},
      {"aligned new, delete", Deed::kAllocation, 2,
       [] {
         struct alignas(128) Wide {
           int x[32];
         };
         keep(std::make_unique<Wide>().get());
       }},
      {"a library's own: std::string", Deed::kAllocation, 2,
       [] {
         std::string s(100, 'x');
         keep(s.data());
       }},
      {"posix_memalign, free", Deed::kAllocation, 2,
       [] {
         void* p = nullptr;
         if (posix_memalign(&p, 64, 64) != 0) return;
         keep(p);
         std::free(p);
       }},
      {"rte_malloc, rte_free", Deed::kAllocation, 2,
       [] { rte_free(rte_malloc_socket(nullptr, 64, 0, SOCKET_ID_ANY)); }},
      {"mutex", Deed::kLock, 1, [] { const std::lock_guard guard(a_mutex); }},
      {"shared lock", Deed::kLock, 1, [] { const std::shared_lock guard(a_lock); }},
      {"fprintf", Deed::kOutput, 1, [&] { std::fprintf(nowhere, "%d\n", 7); }},
      {"fwrite", Deed::kOutput, 1, [&] { std::fwrite(text.data(), 1, text.size(), nowhere); }},
      {"rte_log", Deed::kOutput, 1, [] { rte_log(RTE_LOG_DEBUG, RTE_LOGTYPE_USER1, "once\n"); }},
      {"getppid", Deed::kSystemCall, 1, [] { (void)getppid(); }},
      {"write", Deed::kSystemCall, 1, [&] { (void)!::write(fileno(nowhere), "x", 1); }},
  };
  for (const Case& c : cases) {
    const Watch watch = misbehaved(c.action);
    INFO(c.name << '\n' << watch.text());
    CHECK(watch.count(c.deed) == c.times);
    // The library may write output immediately, which adds a system call to the total.
    if (c.deed == Deed::kAllocation || c.deed == Deed::kLock) CHECK(watch.total() == c.times);
  }
  std::fclose(nowhere);
}

TEST_CASE("a detected system call still takes effect", "[steady]") {
  pid_t parent = 0;
  long result = 0;
  const Watch watch = misbehaved([&] {
    parent = getppid();
    result = syscall(SYS_close, -1);
  });
  CHECK(parent == getppid());
  CHECK(result == -1);
  CHECK(watch.system_calls(SYS_getppid) == 1);
  CHECK(watch.system_calls(SYS_close) == 1);
  CHECK(watch.total() == 2);
}

TEST_CASE("the clock is read without a system call", "[steady]") {
  CHECK(misbehaved([] {
          timespec t{};
          clock_gettime(CLOCK_MONOTONIC, &t);
        }).total() == 0);
}

TEST_CASE("a sleeping worker makes no other system calls", "[steady]") {
  SteadyRig rig({.ring = false, .idle = IdlePolicy::kSleep});
  rig.run(5000);
  rig.probe(0).begin();
  rig.run(2000);
  rig.probe(0).end();
  const Watch& watch = rig.probe(0).watch();
  INFO(watch.text());
  CHECK(watch.total() > 0);
  CHECK(watch.count(Deed::kSystemCall) == watch.total());
  CHECK(watch.system_calls(SYS_clock_nanosleep) == std::min<std::size_t>(watch.total(), 64));
}
