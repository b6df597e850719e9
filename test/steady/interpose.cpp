// SPDX-License-Identifier: BSD-3-Clause
// Interposes functions of the C library and of DPDK. Definitions in the program take precedence over those in
// shared libraries, even for calls from libraries. This file does not include the headers that declare these
// functions, so it uses void* for pointers to types that the headers define.
#include <cstdarg>
#include <cstddef>

#include <dlfcn.h>

extern "C" {

void steady_note(int deed, const char* name) noexcept;  // defined in watch.cpp

// glibc's internal names of malloc() and related functions, which are not interposed.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* p);
}

namespace {

// The values of enum Deed in watch.hpp, which this file must not include.
constexpr int kAllocation = 0;
constexpr int kLock = 1;
constexpr int kOutput = 2;

/// Returns the library's own function `name`, which a definition in this file replaces. Stores it in `kept`,
/// so that later calls need no search. If the library exports several versions of this symbol, `version`
/// selects one of them.
void* behind(void*& kept, const char* name, const char* version = nullptr) {
  if (kept == nullptr) kept = version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
  return kept;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  steady_note(kAllocation, "malloc");
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  steady_note(kAllocation, "calloc");
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  steady_note(kAllocation, "realloc");
  return __libc_realloc(old, size);
}
void free(void* p) {
  if (p != nullptr) steady_note(kAllocation, "free");
  __libc_free(p);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  steady_note(kAllocation, "aligned_alloc");
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  steady_note(kAllocation, "memalign");
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  steady_note(kAllocation, "posix_memalign");
  void* const p = __libc_memalign(alignment, size);
  if (p == nullptr) return 12;  // ENOMEM
  *out = p;
  return 0;
}
}

// Defines a function that notes the call and forwards it to the original function.
#define STEADY_PASS(deed, result, name, version, parameters, arguments)                    \
  extern "C" result name parameters {                                                      \
    static void* kept = nullptr;                                                           \
    steady_note(deed, #name);                                                              \
    return reinterpret_cast<result(*) parameters>(behind(kept, #name, version)) arguments; \
  }

// rte_malloc(), rte_zmalloc() and rte_calloc() call the following functions.
STEADY_PASS(kAllocation, void*, rte_malloc_socket, nullptr, (const char* t, std::size_t n, unsigned a, int s),
            (t, n, a, s))
STEADY_PASS(kAllocation, void*, rte_zmalloc_socket, nullptr,
            (const char* t, std::size_t n, unsigned a, int s), (t, n, a, s))
STEADY_PASS(kAllocation, void, rte_free, nullptr, (void* p), (p))

STEADY_PASS(kLock, int, pthread_mutex_lock, nullptr, (void* m), (m))
STEADY_PASS(kLock, int, pthread_mutex_trylock, nullptr, (void* m), (m))
STEADY_PASS(kLock, int, pthread_mutex_timedlock, nullptr, (void* m, const void* t), (m, t))
STEADY_PASS(kLock, int, pthread_rwlock_rdlock, nullptr, (void* l), (l))
STEADY_PASS(kLock, int, pthread_rwlock_wrlock, nullptr, (void* l), (l))
STEADY_PASS(kLock, int, pthread_rwlock_tryrdlock, nullptr, (void* l), (l))
STEADY_PASS(kLock, int, pthread_rwlock_trywrlock, nullptr, (void* l), (l))
STEADY_PASS(kLock, int, pthread_spin_lock, nullptr, (void* l), (l))
STEADY_PASS(kLock, int, pthread_cond_wait, "GLIBC_2.3.2", (void* c, void* m), (c, m))
STEADY_PASS(kLock, int, pthread_cond_timedwait, "GLIBC_2.3.2", (void* c, void* m, const void* t), (c, m, t))
STEADY_PASS(kLock, int, pthread_cond_signal, "GLIBC_2.3.2", (void* c), (c))
STEADY_PASS(kLock, int, pthread_cond_broadcast, "GLIBC_2.3.2", (void* c), (c))
STEADY_PASS(kLock, int, sem_wait, nullptr, (void* s), (s))
STEADY_PASS(kLock, int, sem_post, nullptr, (void* s), (s))

STEADY_PASS(kOutput, long, write, nullptr, (int fd, const void* p, std::size_t n), (fd, p, n))
STEADY_PASS(kOutput, std::size_t, fwrite, nullptr, (const void* p, std::size_t n, std::size_t m, void* f),
            (p, n, m, f))
STEADY_PASS(kOutput, int, fputs, nullptr, (const char* s, void* f), (s, f))
STEADY_PASS(kOutput, int, puts, nullptr, (const char* s), (s))
STEADY_PASS(kOutput, int, vprintf, nullptr, (const char* s, va_list a), (s, a))
STEADY_PASS(kOutput, int, vfprintf, nullptr, (void* f, const char* s, va_list a), (f, s, a))
STEADY_PASS(kOutput, int, __vfprintf_chk, nullptr, (void* f, int k, const char* s, va_list a), (f, k, s, a))
STEADY_PASS(kOutput, void, vsyslog, nullptr, (int p, const char* s, va_list a), (p, s, a))
STEADY_PASS(kOutput, int, rte_vlog, nullptr, (unsigned l, unsigned t, const char* s, va_list a), (l, t, s, a))

// Defines a variadic function that forwards to the variant `relative`, which takes a va_list.
#define STEADY_LIST(result, name, relative, parameters, last, arguments) \
  extern "C" result name parameters {                                    \
    va_list list;                                                        \
    va_start(list, last);                                                \
    const int status = relative arguments;                               \
    va_end(list);                                                        \
    return status;                                                       \
  }

STEADY_LIST(int, printf, vprintf, (const char* s, ...), s, (s, list))
STEADY_LIST(int, fprintf, vfprintf, (void* f, const char* s, ...), s, (f, s, list))
STEADY_LIST(int, __printf_chk, vprintf, (int, const char* s, ...), s, (s, list))
STEADY_LIST(int, __fprintf_chk, __vfprintf_chk, (void* f, int k, const char* s, ...), s, (f, k, s, list))
STEADY_LIST(int, rte_log, rte_vlog, (unsigned l, unsigned t, const char* s, ...), s, (l, t, s, list))

extern "C" void syslog(int p, const char* s, ...) {
  va_list list;
  va_start(list, s);
  vsyslog(p, s, list);
  va_end(list);
}
