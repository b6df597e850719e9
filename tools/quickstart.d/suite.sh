# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs all tests in two builds: with gcc, and with clang and sanitizers. The last line sums up meson's counts.

broken=0
# Suites that are not run here, because their tests take long or have special requirements (CONTRIBUTING.md).
separate=(systemd packages thorough)

# Linux divides the CPU time first among sessions, each of which has a priority, and then among the processes of each session.
# meson starts each test in a new session.
# session_priority NICE: sets the priority of this session, in which the second build is compiled.
session_priority() {
  echo "$1" 2>/dev/null >"/proc/$$/autogroup" || true
}

# idle COMMAND: runs COMMAND only while no other process needs the CPU. Tests that COMMAND starts have sessions of their own, and
# therefore need the wrapper tools/quickstart.d/background.
idle() {
  chrt --idle --pid 0 "$BASHPID" 2>/dev/null || renice -n 19 "$BASHPID" >/dev/null
  "$@"
}

# spent WHAT BEGAN: records the time since BEGAN for the table at the end.
times=build-logs/times.txt
spent() {
  printf '%6d s  %s\n' "$((SECONDS - $2))" "$1" >>"$times"
}

# run_tests DIR WHAT [options of meson test]: runs tests of the build directory DIR. WHAT describes these tests in messages.
run_tests() {
  local dir=$1 what=$2 began=$SECONDS
  shift 2
  # Ignore the status: count-tests counts the failures later, from meson's logs.
  meson test -C "$dir" --no-rebuild --print-errorlogs "$@" || true
  say "$dir: $what took $((SECONDS - began)) s"
  spent "$dir: $what" "$began"
}

# Makes and tests the second build, with clang, ASan, UBSan and libFuzzer. This build contains the sans-I/O libraries, which parse
# packets from the network, and examples/ns3, which needs core_only. All other code is only checked for clang's warnings. The
# fuzzers do not record compared values (fuzz_compares). These values would hardly help in the few seconds for which the fuzzers
# run, and recording them would double the time of the other tests.
second_build() {
  CXX=clang++ configure build-sanitize -Dcore_only=true -Dfuzzers=true -Dfuzz_compares=false -Dns3=auto \
    -Doptimization=2 -Db_sanitize=address,undefined -Db_lundef=false
  rm -f build-sanitize/meson-logs/*log*.json
  local fine=0 began=$SECONDS
  compile build-sanitize || return 1
  spent "build-sanitize: compilation" "$began"
  began=$SECONDS
  # The fuzzers take a fixed time, so run them in parallel with the check for warnings.
  meson test -C build-sanitize --no-rebuild --suite fuzz --logbase fuzzlog --timeout-multiplier 4 --print-errorlogs \
    --wrapper "$PWD/tools/quickstart.d/background" \
    >build-logs/fuzz.log 2>&1 &
  local fuzz_pid=$!
  CXX=clang++ configure build-clang -Dbuildtype=plain -Dtests=false
  tools/check-clang build-clang build-sanitize || fine=1
  wait "$fuzz_pid" || cat build-logs/fuzz.log
  spent "build-sanitize: fuzzers; build-clang: warnings" "$began"
  run_tests build-sanitize "other tests" --no-suite fuzz --timeout-multiplier 4 --wrapper "$PWD/tools/quickstart.d/background"
  return "$fine"
}

# Runs the tests of suite `beside`, which mostly wait, and makes and tests the second build. Meanwhile, the other tests run one at a
# time, and leave CPU time idle.
start_beside() {
  session_priority 19
  trap 'session_priority 0' EXIT
  run_tests build "suite beside" --suite beside --logbase besidelog >build-logs/beside.log 2>&1 &
  beside_pid=$!
  (idle second_build) >build-logs/second.log 2>&1 &
  second_pid=$!
}

finish_beside() {
  wait "$beside_pid" || broken=$((broken + 1))
  wait "$second_pid" || broken=$((broken + 1))
  session_priority 0
  cat build-logs/beside.log build-logs/second.log
}

# Builds the guest image of the interop tests from Debian packages, in parallel with the compilation.
start_guest_image() {
  mkdir -p build-logs
  nice tools/softroce-vm/softroce-vm build >build-logs/guest.log 2>&1 &
  guest_pid=$!
}

finish_guest_image() {
  wait "$guest_pid" && return
  cat build-logs/guest.log >&2
  say "no guest image: the tests that need it will fail"
}

run_suite() {
  local began=$SECONDS
  configure build
  rm -f build/meson-logs/*log*.json "$times"
  start_guest_image
  compile build || broken=$((broken + 1))
  finish_guest_image
  spent "build: set-up and compilation; guest image" "$began"
  # Tests that measure rates or latencies run without other load.
  run_tests build "suite timing" --suite timing --logbase timinglog
  start_beside
  run_tests build "other tests, while build-sanitize is made" --no-suite timing --no-suite builds --no-suite beside \
    "${separate[@]/#/--no-suite=}"
  local waited=$SECONDS
  finish_beside
  spent "wait for build-sanitize and suite beside" "$waited"
  # The lab in virtual time must give the same bytes in both builds.
  SOFTFEB_BUILDS="$PWD/build-sanitize" run_tests build "suite builds" --suite builds --logbase buildslog
  cat "$times"
  say "the suite took $((SECONDS - began)) s; logs: build-logs, build/meson-logs, build-sanitize/meson-logs"
  tools/count-tests --broken-builds "$broken" "${separate[@]/#/--without-suite=}" build build-sanitize
}
