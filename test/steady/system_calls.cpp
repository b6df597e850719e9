// SPDX-License-Identifier: BSD-3-Clause
// Detects system calls of a thread with a seccomp filter. Each call raises SIGSYS, whose handler records it
// and executes it with an instruction that the filter permits. The thread is otherwise unaffected and can end
// normally.
#include "watch.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the registers of a system call are those of x86-64"
#endif

/// Like syscall(2), but returns a negative error code instead of setting errno. The seccomp filter permits
/// system calls only from this function.
extern "C" __attribute__((visibility("hidden"))) long steady_call(long number, long a, long b, long c, long d,
                                                                  long e, long f);
/// The address after the system call instruction of steady_call().
extern "C" __attribute__((visibility("hidden"))) const char steady_call_passed[];

asm(R"(
  .pushsection .text
  .globl steady_call
  .hidden steady_call
  .type steady_call, @function
steady_call:
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov %r8, %r10
  mov %r9, %r8
  mov 8(%rsp), %r9
  syscall
  .globl steady_call_passed
  .hidden steady_call_passed
steady_call_passed:
  ret
  .size steady_call, . - steady_call
  .popsection
)");

namespace softfeb::steady {

namespace {

void on_system_call(int /*signal*/, siginfo_t* info, void* context) {
  if (Watch* const watch = watch_of_this_thread()) watch->note(Deed::kSystemCall, "", info->si_syscall);
  greg_t* const r = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  r[REG_RAX] =
      steady_call(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
}

constexpr unsigned kNumber = offsetof(seccomp_data, nr);
constexpr unsigned kArchitecture = offsetof(seccomp_data, arch);
constexpr unsigned kPlace = offsetof(seccomp_data, instruction_pointer);

}  // namespace

bool see_system_calls() noexcept {
  thread_local bool seen = false;
  if (seen) return true;
  struct sigaction action {};
  action.sa_sigaction = on_system_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGSYS);
  if (const int status = pthread_sigmask(SIG_UNBLOCK, &set, nullptr); status != 0) {
    errno = status;
    return false;
  }
  const auto passed = reinterpret_cast<std::uintptr_t>(steady_call_passed);
  // The filter traps all system calls except those of steady_call() and rt_sigreturn(), which ends the
  // handler.
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArchitecture),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 7),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 4, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kPlace),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(passed), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kPlace + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(passed >> 32), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  const sock_fprog filter{sizeof program / sizeof *program, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) return false;
  seen = true;
  return true;
}

}  // namespace softfeb::steady
