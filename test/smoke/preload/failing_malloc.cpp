// SPDX-License-Identifier: BSD-3-Clause
// LD_PRELOAD library for the tests: lets an allocation of the program fail, as if the machine had no memory
// left. Counts the allocations from the beginning of main().
//   FAIL_AT     number of the allocation that fails, counted from 0
//   FAIL_ALWAYS if set, all later allocations fail too
//   FAIL_LEAST  only allocations of at least this number of bytes count; default: 0
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include <dlfcn.h>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
}

namespace {

using Main = int (*)(int, char**, char**);

std::atomic<long> left{-1};
bool always = false;
std::size_t least = 0;
Main program = nullptr;

bool fails(std::size_t bytes) {
  if (bytes < least || left.load() < 0) return false;
  // The allocation with n = 0 fails. Allocations with a negative n do not fail.
  const long n = always && left.load() == 0 ? 0 : left.fetch_sub(1);
  if (n == 0) errno = ENOMEM;
  return n == 0;
}

int counted_main(int argc, char** argv, char** environment) {
  const char* const at = std::getenv("FAIL_AT");
  const char* const size = std::getenv("FAIL_LEAST");
  always = std::getenv("FAIL_ALWAYS") != nullptr;
  if (size != nullptr) least = std::strtoul(size, nullptr, 10);
  if (at != nullptr) left = std::strtol(at, nullptr, 10);
  const int status = program(argc, argv, environment);
  left = -1;  // allocations while the process exits do not fail, because they are not tested
  return status;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) { return fails(bytes) ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t n, std::size_t bytes) {
  return fails(n * bytes) ? nullptr : __libc_calloc(n, bytes);
}
void* realloc(void* from, std::size_t bytes) { return fails(bytes) ? nullptr : __libc_realloc(from, bytes); }

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  program = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

}  // extern "C"
