// SPDX-License-Identifier: BSD-3-Clause
// LD_PRELOAD library for the tests: steps the program's wall clock, as an operator or NTP would. The file
// that STEP_FILE names contains the number of seconds by which the clock is wrong; it may change at any time.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <sys/time.h>

namespace {

/// Returns the step of the clock in seconds. Reads the file at each call, because a step must reach all
/// threads at once.
long step() {
  static const char* const path = std::getenv("STEP_FILE");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "re");
  long seconds = 0;
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld", &seconds) != 1) seconds = 0;
  std::fclose(file);
  return seconds;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto original = real<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int status = original(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI))
    now->tv_sec += step();
  return status;
}

int gettimeofday(timeval* now, void* zone) noexcept {
  static const auto original = real<int (*)(timeval*, void*)>("gettimeofday");
  const int status = original(now, zone);
  if (status == 0) now->tv_sec += step();
  return status;
}

std::time_t time(std::time_t* out) noexcept {
  static const auto original = real<std::time_t (*)(std::time_t*)>("time");
  const std::time_t now = original(nullptr) + step();
  if (out != nullptr) *out = now;
  return now;
}

}  // extern "C"
